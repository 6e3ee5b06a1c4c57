/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mutex-connectivity.h"

#include "mutex-monitor.h"

#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/mobility-model.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <bitset>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MutexConnectivity");
NS_OBJECT_ENSURE_REGISTERED(MutexConnectivity);

void
MutexGraphMeter::Look(uint32_t nodes, const std::vector<std::pair<uint32_t, uint32_t>>& links)
{
    m_looks++;
    m_degrees += 2.0 * links.size() / nodes;

    // Whom each node reaches in so many hops, as bits. In one more it reaches whom its peers do.
    const std::size_t words = (nodes + 63) / 64;
    std::vector<uint64_t> reached(nodes * words);
    for (uint32_t node = 0; node < nodes; ++node)
    {
        reached[node * words + node / 64] = uint64_t{1} << node % 64;
    }
    uint32_t diameter = 0;
    for (auto next = reached;; reached = next, ++diameter)
    {
        for (const auto& [a, b] : links)
        {
            for (std::size_t word = 0; word < words; ++word)
            {
                next[a * words + word] |= reached[b * words + word];
                next[b * words + word] |= reached[a * words + word];
            }
        }
        if (next == reached)
        {
            break;
        }
    }
    std::size_t count = 0;
    for (std::size_t word = 0; word < words; ++word)
    {
        count += std::bitset<64>(reached[word]).count();
    }
    if (count < nodes)
    {
        return;
    }
    m_connected++;
    m_diameters += diameter;
    m_largest = std::max(m_largest, diameter);
}

uint64_t
MutexGraphMeter::GetLooks() const
{
    return m_looks;
}

double
MutexGraphMeter::GetMeanDegree() const
{
    return m_looks == 0 ? 0 : m_degrees / m_looks;
}

double
MutexGraphMeter::GetConnectedShare() const
{
    return m_looks == 0 ? 0 : static_cast<double>(m_connected) / m_looks;
}

double
MutexGraphMeter::GetMeanDiameter() const
{
    return m_connected == 0 ? 0 : static_cast<double>(m_diameters) / m_connected;
}

uint32_t
MutexGraphMeter::GetLargestDiameter() const
{
    return m_largest;
}

TypeId
MutexConnectivity::GetTypeId()
{
    static TypeId tid = TypeId("ns3::MutexConnectivity")
                            .SetParent<Object>()
                            .SetGroupName("ManetMutex")
                            .AddConstructor<MutexConnectivity>()
                            .AddAttribute("Interval",
                                          "Time between two looks.",
                                          TimeValue(MilliSeconds(200)),
                                          MakeTimeAccessor(&MutexConnectivity::m_interval),
                                          MakeTimeChecker(MilliSeconds(1)))
                            .AddAttribute("TxPower",
                                          "Power in dBm with which nodes send.",
                                          DoubleValue(16.0206),
                                          MakeDoubleAccessor(&MutexConnectivity::m_txPower),
                                          MakeDoubleChecker<double>())
                            .AddAttribute("Sensitivity",
                                          "The weakest power in dBm that a radio receives.",
                                          DoubleValue(-82),
                                          MakeDoubleAccessor(&MutexConnectivity::m_sensitivity),
                                          MakeDoubleChecker<double>())
                            .AddAttribute("LinkMargin",
                                          "How far above Sensitivity, in dB, links form: Margin "
                                          "and Hysteresis of the applications.",
                                          DoubleValue(3.5),
                                          MakeDoubleAccessor(&MutexConnectivity::m_linkMargin),
                                          MakeDoubleChecker<double>(0));
    return tid;
}

MutexConnectivity::MutexConnectivity() = default;
MutexConnectivity::~MutexConnectivity() = default;

void
MutexConnectivity::DoDispose()
{
    Stop();
    m_loss = nullptr;
    m_monitor = nullptr;
    m_mobility.clear();
    Object::DoDispose();
}

void
MutexConnectivity::Start(const NodeContainer& nodes,
                         Ptr<PropagationLossModel> loss,
                         Ptr<MutexMonitor> monitor)
{
    m_mobility.clear();
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        m_mobility.push_back((*node)->GetObject<MobilityModel>());
    }
    m_loss = loss;
    m_monitor = monitor;
    if (monitor)
    {
        monitor->TraceConnectWithoutContext("Company",
                                            MakeCallback(&MutexConnectivity::Company, this));
    }
    m_next = Simulator::Schedule(m_interval, &MutexConnectivity::Look, this);
}

void
MutexConnectivity::Stop()
{
    m_next.Cancel();
}

void
MutexConnectivity::Look()
{
    const auto before = m_inRange.GetConnectedShare() * m_inRange.GetLooks();
    m_inRange.Look(m_mobility.size(), PairsInRange());
    const auto after = m_inRange.GetConnectedShare() * m_inRange.GetLooks();
    if (after - before < 0.5)
    {
        m_partitioned += m_interval;
    }
    if (m_monitor)
    {
        m_linked.Look(m_mobility.size(), m_monitor->GetLinks());
    }
    m_next = Simulator::Schedule(m_interval, &MutexConnectivity::Look, this);
}

std::vector<std::pair<uint32_t, uint32_t>>
MutexConnectivity::PairsInRange() const
{
    std::vector<std::pair<uint32_t, uint32_t>> pairs;
    for (uint32_t a = 0; a < m_mobility.size(); ++a)
    {
        for (uint32_t b = a + 1; b < m_mobility.size(); ++b)
        {
            if (PowerBetween(a, b) >= m_sensitivity)
            {
                pairs.emplace_back(a, b);
            }
        }
    }
    return pairs;
}

double
MutexConnectivity::PowerBetween(uint32_t a, uint32_t b) const
{
    return m_loss->CalcRxPower(m_txPower, m_mobility[a], m_mobility[b]);
}

void
MutexConnectivity::Company(uint32_t a, uint32_t b, Time time)
{
    if (m_next.IsExpired())
    {
        return; // Not looking any more.
    }
    const auto power = PowerBetween(a, b);
    if (power >= m_sensitivity)
    {
        m_exposed += time;
    }
    if (power >= m_sensitivity + m_linkMargin)
    {
        m_exposedNear += time;
    }
}

const MutexGraphMeter&
MutexConnectivity::GetInRange() const
{
    return m_inRange;
}

const MutexGraphMeter&
MutexConnectivity::GetLinked() const
{
    return m_linked;
}

Time
MutexConnectivity::GetExposed() const
{
    return m_exposed;
}

Time
MutexConnectivity::GetExposedNear() const
{
    return m_exposedNear;
}

Time
MutexConnectivity::GetPartitioned() const
{
    return m_partitioned;
}

} // namespace ns3
