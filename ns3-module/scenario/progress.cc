/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "progress.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace scenario
{

Progress::Progress(const std::string& mode, double end)
    : m_on(mode != "off"),
      m_terminal(isatty(STDERR_FILENO) != 0 || mode == "on"),
      m_end(end),
      m_start(Clock::now()),
      m_last(m_start)
{
}

Progress::~Progress()
{
    if (m_shown)
    {
        std::fprintf(stderr, "\r\033[K");
    }
}

void
Progress::Show(double now)
{
    const auto seconds = [](Clock::duration span) {
        return std::chrono::duration<double>(span).count();
    };
    const auto time = Clock::now();
    if (!m_on || now <= 0 || seconds(time - m_last) < (m_terminal ? 0.1 : 10))
    {
        return;
    }
    m_last = time;
    const auto part = std::min(now / m_end, 1.0);
    const auto spent = seconds(time - m_start);
    const auto left = spent / part - spent;
    if (!m_terminal)
    {
        std::fprintf(stderr, "%.0f of %.0f simulated seconds, %.0f s left\n", now, m_end, left);
        return;
    }
    const int width = 40;
    const auto full = static_cast<int>(part * width);
    std::fprintf(stderr,
                 "\r[%.*s%.*s] %3.0f %%  %.0f of %.0f s, %.1f simulated seconds a second, %.0f s left ",
                 full,
                 "########################################",
                 width - full,
                 "........................................",
                 100 * part,
                 now,
                 m_end,
                 now / spent,
                 left);
    m_shown = true;
}

} // namespace scenario
