/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mutex-traffic.h"

#include "mutex-radio.h"
#include "mutex-socket.h"

#include "ns3/ipv4-header.h"
#include "ns3/llc-snap-header.h"
#include "ns3/udp-header.h"
#include "ns3/wifi-mac-header.h"
#include "ns3/wifi-psdu.h"

namespace ns3
{

namespace
{

constexpr uint16_t IPV4 = 0x0800;
constexpr uint16_t ARP = 0x0806;
constexpr uint8_t UDP = 17;

/// @param packet an IPv4 packet @returns for whose sake it is sent
MutexParty
PartyOfIpv4(Ptr<Packet> packet)
{
    Ipv4Header ip;
    UdpHeader udp;
    packet->RemoveHeader(ip);
    if (ip.GetProtocol() != UDP)
    {
        return MutexParty::OTHER;
    }
    packet->RemoveHeader(udp);
    switch (udp.GetDestinationPort())
    {
    case MutexSocket::PORT:
        return MutexParty::PROTOCOL;
    case 269: // DSDV, as ns-3 has it
    case 654: // AODV
    case 698: // OLSR
        return MutexParty::ROUTING;
    default:
        return MutexParty::OTHER;
    }
}

} // namespace

MutexParty
MutexPartyOf(const WifiPsdu& psdu)
{
    if (!psdu.GetHeader(0).IsData())
    {
        return MutexParty::RADIO;
    }
    auto packet = psdu.GetPayload(0)->Copy();
    LlcSnapHeader llc;
    packet->RemoveHeader(llc);
    switch (llc.GetType())
    {
    case MutexRadio::ETHERTYPE:
        return MutexParty::PROTOCOL;
    case ARP:
        return MutexParty::ROUTING;
    case IPV4:
        return PartyOfIpv4(packet);
    default:
        return MutexParty::OTHER;
    }
}

} // namespace ns3
