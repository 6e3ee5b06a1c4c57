/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mutex-test-world.h"

#include "ns3/boolean.h"
#include "ns3/constant-velocity-mobility-model.h"
#include "ns3/double.h"
#include "ns3/mobility-helper.h"
#include "ns3/position-allocator.h"
#include "ns3/propagation-delay-model.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simple-net-device-helper.h"
#include "ns3/simple-net-device.h"
#include "ns3/string.h"
#include "ns3/wifi-helper.h"
#include "ns3/wifi-mac-helper.h"
#include "ns3/yans-wifi-channel.h"
#include "ns3/yans-wifi-helper.h"

#include <algorithm>

namespace ns3
{

void
MutexTestDiary::Watch(const ApplicationContainer& applications)
{
    for (auto i = applications.Begin(); i != applications.End(); ++i)
    {
        const auto connect = [&](const char* name, const CallbackBase& sink) {
            (*i)->TraceConnectWithoutContext(name, sink);
        };
        connect("Request", MakeCallback(&MutexTestDiary::Request, this));
        connect("Enter", MakeCallback(&MutexTestDiary::Enter, this));
        connect("Release", MakeCallback(&MutexTestDiary::Release, this));
        connect("Demote", MakeCallback(&MutexTestDiary::Demote, this));
        connect("LinkUp", MakeCallback(&MutexTestDiary::LinkUp, this));
        connect("LinkDown", MakeCallback(&MutexTestDiary::LinkDown, this));
        connect("Tx", MakeCallback(&MutexTestDiary::Tx, this));
        connect("Rx", MakeCallback(&MutexTestDiary::Rx, this));
        connect("TokenMoved", MakeCallback(&MutexTestDiary::TokenMoved, this));
        connect("Towards", MakeCallback(&MutexTestDiary::Towards, this));
        connect("Doubt", MakeCallback(&MutexTestDiary::Doubt, this));
        connect("FrameTx", MakeCallback(&MutexTestDiary::FrameTx, this));
        connect("Motion", MakeCallback(&MutexTestDiary::Motion, this));
    }
}

std::vector<MutexTestEvent>
MutexTestDiary::All(const std::string& what) const
{
    std::vector<MutexTestEvent> found;
    std::copy_if(events.begin(), events.end(), std::back_inserter(found), [&](const auto& event) {
        return event.what == what;
    });
    return found;
}

std::vector<MutexTestEvent>
MutexTestDiary::At(const std::string& what, uint32_t node) const
{
    auto found = All(what);
    found.erase(std::remove_if(found.begin(),
                               found.end(),
                               [&](const auto& event) { return event.node != node; }),
                found.end());
    return found;
}

std::size_t
MutexTestDiary::Count(const std::string& what) const
{
    return All(what).size();
}

void
MutexTestDiary::Note(uint32_t node,
                     const std::string& what,
                     uint32_t peer,
                     const std::string& text,
                     Time span)
{
    events.push_back({Simulator::Now(), node, what, peer, text, span});
}

void
MutexTestDiary::Request(uint32_t node, const MutexDemand&)
{
    Note(node, "Request");
}

void
MutexTestDiary::Enter(uint32_t node, const MutexDemand&, Time waited)
{
    Note(node, "Enter", 0, "", waited);
}

void
MutexTestDiary::Release(uint32_t node, Time inside)
{
    Note(node, "Release", 0, "", inside);
}

void
MutexTestDiary::Demote(uint32_t node)
{
    Note(node, "Demote");
}

void
MutexTestDiary::LinkUp(uint32_t node, uint32_t peer, MutexRole role)
{
    Note(node, "LinkUp", peer, role == MutexRole::MOVING ? "moving" : "static");
}

void
MutexTestDiary::LinkDown(uint32_t node, uint32_t peer, const std::string& cause)
{
    Note(node, "LinkDown", peer, cause);
}

void
MutexTestDiary::Tx(uint32_t node, const MutexMessage& message)
{
    Note(node, "Tx", message.peer, message.kind);
}

void
MutexTestDiary::Rx(uint32_t node, const MutexMessage& message)
{
    Note(node, "Rx", message.peer, message.kind);
}

void
MutexTestDiary::TokenMoved(uint32_t node, uint32_t from)
{
    Note(node, "TokenMoved", from);
}

void
MutexTestDiary::Towards(uint32_t node, uint32_t peer)
{
    Note(node, "Towards", peer);
}

void
MutexTestDiary::Doubt(uint32_t node, const MutexMessage& message, MutexDoubt doubt)
{
    static const char* const names[] = {"open", "delivered", "returned"};
    Note(node, "Doubt", message.peer, names[static_cast<std::size_t>(doubt)]);
}

void
MutexTestDiary::FrameTx(uint32_t node, Ptr<const Packet>, const std::string& kind)
{
    Note(node, "FrameTx", 0, kind);
}

void
MutexTestDiary::Motion(uint32_t node, const Vector&, const Vector& velocity)
{
    Note(node, "Motion", 0, velocity.GetLength() > 0 ? "moves" : "rests");
}

MutexTestCase::MutexTestCase(const std::string& name)
    : TestCase(name)
{
}

void
MutexTestCase::MakeWifi(const std::vector<Vector>& positions, Ptr<PropagationLossModel> loss)
{
    nodes.Create(positions.size());
    auto places = CreateObject<ListPositionAllocator>();
    for (const auto& position : positions)
    {
        places->Add(position);
    }
    MobilityHelper mobility;
    mobility.SetMobilityModel("ns3::ConstantVelocityMobilityModel");
    mobility.SetPositionAllocator(places);
    mobility.Install(nodes);

    if (!loss)
    {
        loss = CreateObject<LogDistancePropagationLossModel>();
        loss->SetAttribute("ReferenceLoss", DoubleValue(40.05));
        loss->SetAttribute("Exponent", DoubleValue(3));
    }
    auto air = CreateObject<YansWifiChannel>();
    air->SetPropagationLossModel(loss);
    air->SetPropagationDelayModel(CreateObject<ConstantSpeedPropagationDelayModel>());
    YansWifiPhyHelper phy;
    phy.SetChannel(air);
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211g);
    const StringValue rate("ErpOfdmRate6Mbps");
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 rate,
                                 "ControlMode",
                                 rate,
                                 "NonUnicastMode",
                                 rate);
    devices = wifi.Install(phy, mac, nodes);
    wifi.AssignStreams(devices, 1000);
}

void
MutexTestCase::MakeIdeal(uint32_t count, Time delay)
{
    nodes.Create(count);
    channel = CreateObject<SimpleChannel>();
    channel->SetAttribute("Delay", TimeValue(delay));
    devices = SimpleNetDeviceHelper().Install(nodes, channel);
}

void
MutexTestCase::Separate(uint32_t a, uint32_t b, bool deaf)
{
    const auto one = DynamicCast<SimpleNetDevice>(devices.Get(a));
    const auto other = DynamicCast<SimpleNetDevice>(devices.Get(b));
    if (deaf)
    {
        channel->BlackList(one, other);
        channel->BlackList(other, one);
    }
    else
    {
        channel->UnBlackList(one, other);
        channel->UnBlackList(other, one);
    }
}

void
MutexTestCase::Install()
{
    applications = helper.Install(nodes);
    MutexHelper::AssignStreams(nodes, 1);
    diary.Watch(applications);
    monitor = CreateObject<MutexMonitor>();
    monitor->Watch(applications);
}

void
MutexTestCase::RunUntil(Time until)
{
    Simulator::Stop(until - Simulator::Now());
    Simulator::Run();
}

std::string
MutexTestCase::RunToError(Time until)
{
    auto stop = Simulator::Schedule(until - Simulator::Now(), [] { Simulator::Stop(); });
    const auto text = ErrorOf([] { Simulator::Run(); });
    stop.Cancel();
    return text;
}

std::string
MutexTestCase::ErrorOf(const std::function<void()>& act)
{
    try
    {
        act();
        return "";
    }
    catch (const MutexError& error)
    {
        return error.what();
    }
}

void
MutexTestCase::ScheduleThrowing(Time at, std::function<void()> act)
{
    Simulator::Schedule(at, std::move(act));
}

MutexApplication&
MutexTestCase::App(uint32_t node) const
{
    return *DynamicCast<MutexApplication>(applications.Get(node));
}

void
MutexTestCase::Move(uint32_t node, const Vector& velocity) const
{
    nodes.Get(node)->GetObject<ConstantVelocityMobilityModel>()->SetVelocity(velocity);
}

void
MutexTestCase::Teleport(uint32_t node, const Vector& position) const
{
    nodes.Get(node)->GetObject<MobilityModel>()->SetPosition(position);
}

void
MutexTestCase::ExpectExclusionAndService()
{
    NS_TEST_EXPECT_MSG_EQ(monitor->GetViolations(), 0, monitor->GetFirstViolation());
    NS_TEST_EXPECT_MSG_EQ(monitor->GetEntries(), monitor->GetRequests(), "served requests");
    for (const auto entries : monitor->GetEntriesByNode())
    {
        NS_TEST_EXPECT_MSG_GT(entries, 0, "entries of a node");
    }
}

std::vector<Vector>
MutexTestCase::Line(uint32_t count, double gap)
{
    std::vector<Vector> positions;
    for (uint32_t i = 0; i < count; ++i)
    {
        positions.emplace_back(i * gap, 0, 0);
    }
    return positions;
}

void
MutexTestCase::DoSetup()
{
    // A test alone and a test among others must not differ.
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(1);
}

void
MutexTestCase::DoTeardown()
{
    Simulator::Destroy();
    applications = ApplicationContainer();
    devices = NetDeviceContainer();
    nodes = NodeContainer();
    channel = nullptr;
    monitor = nullptr;
}

const Vector MutexTornTestCase::BEYOND(150, 0, 0);

void
MutexTornTestCase::MakeTorn()
{
    auto range = CreateObject<RangePropagationLossModel>();
    range->SetAttribute("MaxRange", DoubleValue(100));
    helper.SetAttribute("Automatic", BooleanValue(false));
    MakeWifi({Vector(0, 0, 0), Vector(60, 60, 0), Vector(60, 0, 0)}, range);
    m_torn = false;
    diary.events.clear();
    Install();
    for (uint32_t node = 0; node < 3; ++node)
    {
        App(node).TraceConnectWithoutContext("Tx", MakeCallback(&MutexTornTestCase::Sent, this));
        App(node).TraceConnectWithoutContext("Enter",
                                             MakeCallback(&MutexTornTestCase::Entered, this));
    }
    Simulator::Schedule(Seconds(5), [this] { App(1).Request(); });
    Simulator::Schedule(Seconds(25), [this] { App(0).Request(); });
}

void
MutexTornTestCase::Tear(Time after, const Vector& place)
{
    m_after = after;
    m_place = place;
}

void
MutexTornTestCase::Sent(uint32_t node, const MutexMessage& message)
{
    if (!m_torn && node == 0 && message.kind == "Token")
    {
        m_torn = true;
        Simulator::Schedule(m_after, [this] { Teleport(1, m_place); });
    }
}

void
MutexTornTestCase::Entered(uint32_t node, const MutexDemand&, Time)
{
    Simulator::Schedule(Seconds(1), [this, node] { App(node).Release(); });
}

} // namespace ns3
