/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_PROGRESS_H
#define SCENARIO_PROGRESS_H

#include <chrono>
#include <string>

namespace scenario
{

/// Shows on standard error how far a run is: a bar on a terminal, else a line now and then.
class Progress
{
  public:
    /**
     * @param mode on, off or auto: on a terminal, or if it takes long
     * @param end simulated seconds in all
     */
    Progress(const std::string& mode, double end);
    ~Progress();

    /// @param now simulated seconds so far
    void Show(double now);

  private:
    using Clock = std::chrono::steady_clock;

    bool m_on;                 //!< whether to show anything
    bool m_terminal;           //!< whether somebody looks
    bool m_shown{false};       //!< whether there is a bar to wipe away
    double m_end;              //!< simulated seconds in all
    Clock::time_point m_start; //!< when it began
    Clock::time_point m_last;  //!< when it was shown last
};

} // namespace scenario

#endif // SCENARIO_PROGRESS_H
