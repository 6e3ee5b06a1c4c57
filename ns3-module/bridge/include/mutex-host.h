/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MUTEX_HOST_H
#define MUTEX_HOST_H

// What the core calls. No ns-3 header here: cargo compiles the generated side of the bridge and
// must not need ns-3's include directories, definitions or language standard.
#include "rust/cxx.h"

#include <cstdint>

namespace manet_mutex
{

/// Whether records of this level (1: error ... 5: trace) are wanted.
bool HostLogEnabled(std::uint8_t level) noexcept;

/// Takes a log record of the core.
void HostLog(std::uint8_t level, rust::Str target, rust::Str message);

} // namespace manet_mutex

#endif // MUTEX_HOST_H
