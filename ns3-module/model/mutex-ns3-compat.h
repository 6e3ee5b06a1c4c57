/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MUTEX_NS3_COMPAT_H
#define MUTEX_NS3_COMPAT_H

// Private: what ns-3 renamed over the versions that the module supports. ns-3 defines no version
// number, so the old header is looked for; the new one may be that of another ns-3 in /usr/include.
#if __has_include("ns3/wifi-mac-queue-item.h")
#include "ns3/wifi-mac-queue-item.h"

namespace ns3
{
using WifiMpdu = WifiMacQueueItem; //!< its name up to 3.36
} // namespace ns3
#else
#include "ns3/wifi-mpdu.h"
#endif

#include <optional>

namespace ns3
{
/// @param power in dBm, as the station manager told it up to 3.37 @returns it
inline double
MutexPowerOf(double power)
{
    return power;
}

/// @param power in dBm, as it tells since then @returns it; there is one once a frame was received
inline double
MutexPowerOf(std::optional<double> power)
{
    return power.value_or(0);
}
} // namespace ns3

#endif // MUTEX_NS3_COMPAT_H
