/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Ten people walk about with radios and share one thing that only one of them may use at a time.
// A first program with manet-mutex; first_steps.py is the same in Python.
//
//   build/bin/first-steps --nodes=10 --duration=30 --seed=1

#include "ns3/core-module.h"
#include "ns3/manet-mutex-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/wifi-module.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// What is counted for each node.
struct Row
{
    uint32_t entries{0};    //!< into the critical section
    double waited{0};       //!< seconds, all entries together
    double longest{0};      //!< seconds, the longest wait
    uint32_t tokens{0};     //!< how often the token came
    uint32_t linksUp{0};    //!< links that came up at this end
    uint32_t linksDown{0};  //!< links that closed at this end
};

std::vector<Row> g_rows; //!< by node
uint32_t g_lines{0};     //!< of the story, so far
int64_t g_stream{0};     //!< the next stream of random numbers that nobody uses

/// Tells what happened, as long as it is the beginning.
void
Tell(uint32_t node, const std::string& what)
{
    if (g_lines++ < 12)
    {
        std::printf("%8.3f s  node %-3u %s\n", Simulator::Now().GetSeconds(), node, what.c_str());
    }
}

// The trace sinks: ns-3 calls them when something happens at a node.

void
OnRequest(uint32_t node, const MutexDemand&)
{
    Tell(node, "wants to enter");
}

void
OnEnter(uint32_t node, const MutexDemand&, Time waited)
{
    auto& row = g_rows[node];
    ++row.entries;
    row.waited += waited.GetSeconds();
    row.longest = std::max(row.longest, waited.GetSeconds());
    Tell(node, "enters");
}

void
OnRelease(uint32_t node, Time)
{
    Tell(node, "leaves");
}

void
OnTokenMoved(uint32_t node, uint32_t from)
{
    ++g_rows[node].tokens;
    // The first node finds the token in its own hands when it starts.
    Tell(node, node == from ? "has the token" : "gets the token from " + std::to_string(from));
}

void
OnLinkUp(uint32_t node, uint32_t, MutexRole)
{
    ++g_rows[node].linksUp;
}

void
OnLinkDown(uint32_t node, uint32_t, const std::string&)
{
    ++g_rows[node].linksDown;
}

/// Nodes that walk about in a square of 120 m.
NodeContainer
MakeNodes(uint32_t count)
{
    NodeContainer nodes(count);
    auto anywhere = CreateObject<RandomRectanglePositionAllocator>();
    anywhere->SetAttribute("X", StringValue("ns3::UniformRandomVariable[Min=0|Max=120]"));
    anywhere->SetAttribute("Y", StringValue("ns3::UniformRandomVariable[Min=0|Max=120]"));
    g_stream += anywhere->AssignStreams(g_stream);

    MobilityHelper mobility;
    mobility.SetPositionAllocator(anywhere);
    mobility.SetMobilityModel("ns3::RandomDirection2dMobilityModel",
                              "Bounds",
                              StringValue("0|120|0|120"),
                              "Speed", // m/s
                              StringValue("ns3::UniformRandomVariable[Min=1|Max=5]"),
                              "Pause", // s, when the edge is reached
                              StringValue("ns3::ConstantRandomVariable[Constant=1]"));
    mobility.Install(nodes);
    g_stream += mobility.AssignStreams(nodes, g_stream);
    return nodes;
}

/// Gives each node an 802.11g radio in ad hoc mode. It reaches about 85 m.
void
InstallRadios(const NodeContainer& nodes)
{
    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::LogDistancePropagationLossModel",
                               "ReferenceLoss", // dB after 1 m, at 2.4 GHz
                               DoubleValue(40.05));
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211g);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 StringValue("ErpOfdmRate6Mbps"));
    const auto devices = wifi.Install(phy, mac, nodes);
    g_stream += wifi.AssignStreams(devices, g_stream);
}

/// Lets each node think for 3 s on average, then enter, and stay inside for 0.1 s.
ApplicationContainer
InstallProtocol(const NodeContainer& nodes)
{
    MutexHelper mutex("rl");
    mutex.SetAttribute("ThinkTime", StringValue("ns3::ExponentialRandomVariable[Mean=3]"));
    mutex.SetAttribute("CsTime", StringValue("ns3::ConstantRandomVariable[Constant=0.1]"));
    const auto applications = mutex.Install(nodes);
    g_stream += MutexHelper::AssignStreams(nodes, g_stream);
    return applications;
}

/// Connects the sinks to all nodes.
void
Watch(const ApplicationContainer& applications)
{
    for (uint32_t i = 0; i < applications.GetN(); ++i)
    {
        auto application = applications.Get(i);
        application->TraceConnectWithoutContext("Request", MakeCallback(&OnRequest));
        application->TraceConnectWithoutContext("Enter", MakeCallback(&OnEnter));
        application->TraceConnectWithoutContext("Release", MakeCallback(&OnRelease));
        application->TraceConnectWithoutContext("TokenMoved", MakeCallback(&OnTokenMoved));
        application->TraceConnectWithoutContext("LinkUp", MakeCallback(&OnLinkUp));
        application->TraceConnectWithoutContext("LinkDown", MakeCallback(&OnLinkDown));
    }
}

/// Prints what was counted.
void
PrintTable()
{
    std::printf("\n node  entries  mean wait  longest  tokens  links up  links down\n");
    Row all;
    for (std::size_t node = 0; node < g_rows.size(); ++node)
    {
        const auto& row = g_rows[node];
        std::printf("%5zu  %7u  %7.3f s  %5.3f s  %6u  %8u  %10u\n",
                    node,
                    row.entries,
                    row.entries ? row.waited / row.entries : 0,
                    row.longest,
                    row.tokens,
                    row.linksUp,
                    row.linksDown);
        all.entries += row.entries;
        all.waited += row.waited;
    }
    std::printf("\n%u entries, mean wait %.3f s\n",
                all.entries,
                all.entries ? all.waited / all.entries : 0);
}

} // namespace

int
main(int argc, char* argv[])
{
    uint32_t count = 10;
    double duration = 30;
    uint32_t seed = 1;
    CommandLine cmd(__FILE__);
    cmd.AddValue("nodes", "How many nodes", count);
    cmd.AddValue("duration", "Seconds to simulate", duration);
    cmd.AddValue("seed", "Another seed, another story", seed);
    cmd.Parse(argc, argv);
    RngSeedManager::SetRun(seed);

    try
    {
        const auto nodes = MakeNodes(count);
        InstallRadios(nodes);
        g_rows.resize(count);
        Watch(InstallProtocol(nodes));

        std::printf("What happened first:\n\n");
        Simulator::Stop(Seconds(duration));
        Simulator::Run();
        PrintTable();
    }
    catch (const MutexError& error)
    {
        std::fprintf(stderr, "first-steps: %s\n", error.what());
        return 1;
    }
    Simulator::Destroy();
    return 0;
}
