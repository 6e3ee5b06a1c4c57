/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MUTEX_TRAFFIC_H
#define MUTEX_TRAFFIC_H

#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

class WifiPsdu;

/**
 * @ingroup manet-mutex
 * For whose sake a frame is on the air.
 */
enum class MutexParty : uint8_t
{
    PROTOCOL, //!< the protocol, its link layer or its transport
    ROUTING,  //!< the routing protocol, and ARP for it
    RADIO,    //!< the radio itself: acknowledgements
    OTHER     //!< anything else
};

/**
 * @ingroup manet-mutex
 * What was on the air.
 */
struct MutexTraffic
{
    uint64_t frames{0}; //!< transmissions, repetitions included
    uint64_t bytes{0};  //!< MAC headers included
    Time airtime;       //!< how long
};

/**
 * @param psdu on the air
 * @returns for whose sake
 */
MutexParty MutexPartyOf(const WifiPsdu& psdu);

} // namespace ns3

#endif // MUTEX_TRAFFIC_H
