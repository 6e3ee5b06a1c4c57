/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What the core calls, for tests of the bridge without ns-3: a host that wants no log.
#include "mutex-host.h"

namespace manet_mutex
{

bool
HostLogEnabled(std::uint8_t) noexcept
{
    return false;
}

void
HostLog(std::uint8_t, rust::Str, rust::Str)
{
}

} // namespace manet_mutex
