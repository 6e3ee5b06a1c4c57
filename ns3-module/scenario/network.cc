/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "network.h"

#include "ns3/aodv-helper.h"
#include "ns3/boolean.h"
#include "ns3/box.h"
#include "ns3/config.h"
#include "ns3/constant-position-mobility-model.h"
#include "ns3/double.h"
#include "ns3/dsdv-helper.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/mobility-helper.h"
#include "ns3/mobility-model.h"
#include "ns3/mutex-application.h"
#include "ns3/olsr-helper.h"
#include "ns3/pointer.h"
#include "ns3/position-allocator.h"
#include "ns3/propagation-delay-model.h"
#include "ns3/rectangle.h"
#include "ns3/simple-channel.h"
#include "ns3/simple-net-device.h"
#include "ns3/string.h"
#include "ns3/wifi-helper.h"
#include "ns3/wifi-mac-helper.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-phy.h"
#include "ns3/yans-wifi-channel.h"
#include "ns3/yans-wifi-helper.h"

#include <cmath>
#include <map>

namespace scenario
{

using namespace ns3;

namespace
{

/// Log distance with exponent 3 and the loss of the first metre at 2.4 GHz: 85.6 m of range.
constexpr double REFERENCE_LOSS = 40.05;
constexpr double LOG_DISTANCE_RANGE = 85.6;
/// How much stronger healed radios send, in dB.
constexpr double HEALING = 40;

/// @param value of a constant random variable @returns it as attribute
StringValue
Constant(double value)
{
    return StringValue("ns3::ConstantRandomVariable[Constant=" + std::to_string(value) + "]");
}

/// @param most of a uniform random variable from 0 @returns it
Ptr<UniformRandomVariable>
UpTo(double most)
{
    auto variable = CreateObject<UniformRandomVariable>();
    variable->SetAttribute("Max", DoubleValue(most));
    return variable;
}

/// @param metres of range @returns loss that is none up to there and total beyond
Ptr<PropagationLossModel>
RangeLoss(double metres)
{
    auto loss = CreateObject<RangePropagationLossModel>();
    loss->SetAttribute("MaxRange", DoubleValue(metres));
    return loss;
}

/// @param options what is wanted @returns the loss without randomness
Ptr<PropagationLossModel>
SteadyLoss(const Options& options)
{
    if (options.loss == "range" || options.channel == "ideal")
    {
        return RangeLoss(options.range);
    }
    if (options.loss == "friis")
    {
        auto loss = CreateObject<FriisPropagationLossModel>();
        loss->SetFrequency(2.4e9);
        return loss;
    }
    auto loss = CreateObject<LogDistancePropagationLossModel>();
    loss->SetReference(1, REFERENCE_LOSS);
    loss->SetPathLossExponent(3);
    return loss;
}

/// @param options what is wanted @returns the places of a lattice that fills the field
Ptr<PositionAllocator>
Lattice(const Options& options)
{
    const auto columns = static_cast<uint32_t>(std::ceil(std::sqrt(options.nodes)));
    auto places = CreateObject<ListPositionAllocator>();
    const auto step = options.side / columns;
    for (uint32_t i = 0; i < options.nodes; ++i)
    {
        places->Add(Vector(step * (0.5 + i % columns), step * (0.5 + i / columns), 0));
    }
    return places;
}

/// @param options what is wanted @returns whether the protocol needs routing
bool
IsRouted(const Options& options)
{
    auto application = CreateObject<MutexApplication>();
    application->SetAttribute("Protocol", StringValue(options.protocol));
    return application->GetNature().routed;
}

} // namespace

Network::Network(const Options& options)
{
    nodes.Create(options.nodes);
    Place(options);
    oracle = SteadyLoss(options);
    if (options.channel == "ideal")
    {
        AddIdeal(options);
    }
    else
    {
        AddWifi(options);
    }
    if (IsRouted(options))
    {
        AddRouting(options);
    }
}

void
Network::Place(const Options& options)
{
    const auto side = options.side;
    MobilityHelper mobility;
    auto anywhere = CreateObject<RandomRectanglePositionAllocator>();
    anywhere->SetX(UpTo(side));
    anywhere->SetY(UpTo(side));
    m_stream += anywhere->AssignStreams(m_stream);
    mobility.SetPositionAllocator(anywhere);

    if (options.mobility == "grid")
    {
        mobility.SetPositionAllocator(Lattice(options));
    }
    if (options.mobility == "random-direction")
    {
        mobility.SetMobilityModel("ns3::RandomDirection2dMobilityModel",
                                  "Bounds",
                                  RectangleValue(Rectangle(0, side, 0, side)),
                                  "Speed",
                                  Constant(options.speed),
                                  "Pause",
                                  Constant(options.pause));
    }
    else if (options.mobility == "random-waypoint")
    {
        auto goals = CreateObject<RandomRectanglePositionAllocator>();
        goals->SetX(UpTo(side));
        goals->SetY(UpTo(side));
        m_stream += goals->AssignStreams(m_stream);
        mobility.SetMobilityModel("ns3::RandomWaypointMobilityModel",
                                  "Speed",
                                  Constant(options.speed),
                                  "Pause",
                                  Constant(options.pause),
                                  "PositionAllocator",
                                  PointerValue(goals));
    }
    else if (options.mobility == "gauss-markov")
    {
        mobility.SetMobilityModel("ns3::GaussMarkovMobilityModel",
                                  "Bounds",
                                  BoxValue(Box(0, side, 0, side, 0, 0)),
                                  "Alpha",
                                  DoubleValue(0.85),
                                  "TimeStep",
                                  TimeValue(Seconds(1)),
                                  "MeanVelocity",
                                  Constant(options.speed),
                                  "MeanPitch",
                                  Constant(0),
                                  "NormalPitch",
                                  StringValue("ns3::NormalRandomVariable[Mean=0|Variance=0]"));
    }
    mobility.Install(nodes);
    m_stream += mobility.AssignStreams(nodes, m_stream);
}

void
Network::AddWifi(const Options& options)
{
    static const std::map<std::string, std::pair<WifiStandard, std::string>> standards{
        {"80211a", {WIFI_STANDARD_80211a, "OfdmRate6Mbps"}},
        {"80211b", {WIFI_STANDARD_80211b, "DsssRate1Mbps"}},
        {"80211g", {WIFI_STANDARD_80211g, "ErpOfdmRate6Mbps"}},
        {"80211n", {WIFI_STANDARD_80211n, "HtMcs0"}},
    };
    const auto& [standard, rate] = standards.at(options.standard);
    // Control frames of 802.11n use a rate of the standard before it.
    const auto control = options.standard == "80211n" ? "OfdmRate6Mbps" : rate;

    m_loss = SteadyLoss(options);
    auto last = m_loss;
    if (options.loss == "range")
    {
        m_cutoff = m_loss;
    }
    else if (options.loss != "friis")
    {
        // Beyond twice the range nothing is ever received: computing it would only take time.
        m_cutoff = RangeLoss(2 * LOG_DISTANCE_RANGE);
        last->SetNext(m_cutoff);
        last = m_cutoff;
    }
    if (options.loss == "nakagami")
    {
        auto fading = CreateObject<NakagamiPropagationLossModel>();
        for (const auto shape : {"m0", "m1", "m2"})
        {
            fading->SetAttribute(shape, DoubleValue(1.5));
        }
        m_stream += fading->AssignStreams(m_stream);
        last->SetNext(fading);
    }
    auto channel = CreateObject<YansWifiChannel>();
    channel->SetPropagationLossModel(m_loss);
    channel->SetPropagationDelayModel(CreateObject<ConstantSpeedPropagationDelayModel>());

    WifiHelper wifi;
    wifi.SetStandard(standard);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 StringValue(rate),
                                 "ControlMode",
                                 StringValue(control),
                                 "NonUnicastMode",
                                 StringValue(control));
    YansWifiPhyHelper phy;
    phy.SetChannel(channel);
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");
    devices = wifi.Install(phy, mac, nodes);
    m_stream += wifi.AssignStreams(devices, m_stream);
}

void
Network::AddIdeal(const Options& options)
{
    auto channel = CreateObject<SimpleChannel>();
    channel->SetAttribute("Delay", TimeValue(Seconds(options.delay)));
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        auto device = CreateObject<SimpleNetDevice>();
        device->SetAddress(Mac48Address::Allocate());
        device->SetChannel(channel);
        (*node)->AddDevice(device);
        devices.Add(device);
    }
    for (uint32_t a = 0; a < nodes.GetN(); ++a)
    {
        for (uint32_t b = 0; b < nodes.GetN(); ++b)
        {
            const auto place = nodes.Get(a)->GetObject<MobilityModel>();
            const auto other = nodes.Get(b)->GetObject<MobilityModel>();
            if (a != b && place->GetDistanceFrom(other) > options.range)
            {
                channel->BlackList(DynamicCast<SimpleNetDevice>(devices.Get(a)),
                                   DynamicCast<SimpleNetDevice>(devices.Get(b)));
            }
        }
    }
}

void
Network::AddRouting(const Options& options)
{
    // With ns-3's own 100 s, three ARP requests lost at the edge of range cut two neighbours off
    // for that long, whatever routing does.
    Config::SetDefault("ns3::ArpCache::DeadTimeout", TimeValue(Seconds(options.arpDead)));
    InternetStackHelper stack;
    if (options.routing == "olsr")
    {
        stack.SetRoutingHelper(OlsrHelper());
    }
    else if (options.routing == "aodv")
    {
        stack.SetRoutingHelper(AodvHelper());
    }
    else
    {
        stack.SetRoutingHelper(DsdvHelper());
    }
    stack.SetIpv6StackInstall(false);
    stack.Install(nodes);
    m_stream += stack.AssignStreams(nodes, m_stream);
    Ipv4AddressHelper addresses;
    addresses.SetBase("10.0.0.0", "255.255.0.0");
    addresses.Assign(devices);
}

void
Network::Heal()
{
    if (m_cutoff)
    {
        m_cutoff->SetAttribute("MaxRange", DoubleValue(1e6));
    }
    for (auto i = devices.Begin(); i != devices.End(); ++i)
    {
        if (auto device = DynamicCast<WifiNetDevice>(*i))
        {
            auto phy = device->GetPhy();
            phy->SetTxPowerStart(phy->GetTxPowerStart() + HEALING);
            phy->SetTxPowerEnd(phy->GetTxPowerEnd() + HEALING);
        }
    }
}

} // namespace scenario
