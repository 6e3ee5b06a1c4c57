/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "beacon.h"

#include "ns3/double.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"

namespace scenario
{

using namespace ns3;

Beacon::Beacon(Ptr<NetDevice> device, uint32_t bytes, Time interval, int64_t stream)
    : m_node(device->GetNode()->GetId()),
      m_radio(device, MakeCallback(&Beacon::Hear, this), MakeCallback(&Beacon::Sent, this)),
      m_bytes(bytes),
      m_interval(interval),
      m_variation(CreateObject<UniformRandomVariable>())
{
    m_variation->SetAttribute("Min", DoubleValue(0.9));
    m_variation->SetAttribute("Max", DoubleValue(1.1));
    m_variation->SetStream(stream);
    Plan();
}

void
Beacon::Say()
{
    m_radio.Broadcast(Create<Packet>(m_bytes));
    Plan();
}

void
Beacon::Hear(Ptr<const Packet>, const Address&, double dbm)
{
    m_power = dbm;
}

void
Beacon::Sent(uint64_t, bool)
{
}

void
Beacon::Plan()
{
    Simulator::ScheduleWithContext(m_node,
                                   m_interval * m_variation->GetValue(),
                                   &Beacon::Say,
                                   this);
}

std::vector<std::unique_ptr<Beacon>>
MakeBeacons(const NetDeviceContainer& devices, uint32_t bytes, Time interval)
{
    std::vector<std::unique_ptr<Beacon>> beacons;
    for (uint32_t i = 0; i < devices.GetN(); ++i)
    {
        beacons.push_back(std::make_unique<Beacon>(devices.Get(i), bytes, interval, 100000 + i));
    }
    return beacons;
}

} // namespace scenario
