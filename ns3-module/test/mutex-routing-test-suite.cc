/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Protocols that speak to any node: UDP over IPv4 and ns-3's own routing protocols.
#include "mutex-test-world.h"

#include "ns3/aodv-helper.h"
#include "ns3/boolean.h"
#include "ns3/dsdv-helper.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/nstime.h"
#include "ns3/olsr-helper.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup manet-mutex-tests
 * Nodes with an internet stack.
 */
class MutexRoutedTestCase : public MutexTestCase
{
  protected:
    using MutexTestCase::MutexTestCase;

    /// Gives the nodes stacks and addresses. @param routing the routing protocol
    void AddInternet(const Ipv4RoutingHelper& routing)
    {
        InternetStackHelper stack;
        stack.SetRoutingHelper(routing);
        stack.Install(nodes);
        stack.AssignStreams(nodes, 500);
        Ipv4AddressHelper addresses;
        addresses.SetBase("10.0.0.0", "255.255.255.0");
        addresses.Assign(devices);
    }
};

/**
 * @ingroup manet-mutex-tests
 * Five nodes on a line, the ends of which are four hops apart: everybody is served, one at a time,
 * and the routing protocol's frames are counted apart.
 */
class MutexOverRoutingTestCase : public MutexRoutedTestCase
{
  public:
    /**
     * @param protocol its name
     * @param routing the routing protocol's
     */
    MutexOverRoutingTestCase(const std::string& protocol, const std::string& routing)
        : MutexRoutedTestCase(protocol + " over " + routing),
          m_protocol(protocol),
          m_routing(routing)
    {
    }

  private:
    void DoRun() override
    {
        helper = MutexHelper(m_protocol);
        helper.SetAttribute("ThinkTime", StringValue("ns3::ExponentialRandomVariable[Mean=2]"));
        helper.SetAttribute("FirstRequest", TimeValue(Seconds(20)));
        helper.SetAttribute("LastRequest", TimeValue(Seconds(60)));
        MakeWifi(Line(5, 70));
        if (m_routing == "olsr")
        {
            AddInternet(OlsrHelper());
        }
        else if (m_routing == "aodv")
        {
            AddInternet(AodvHelper());
        }
        else
        {
            AddInternet(DsdvHelper());
        }
        Install();
        RunUntil(Seconds(150));
        ExpectExclusionAndService();
        NS_TEST_EXPECT_MSG_EQ(monitor->IsRouted(), true, "routed");
        NS_TEST_EXPECT_MSG_EQ(diary.Count("LinkUp"), 0, "there are no links");
        const auto own = monitor->GetTraffic(MutexParty::PROTOCOL);
        const auto routing = monitor->GetTraffic(MutexParty::ROUTING);
        const auto radio = monitor->GetTraffic(MutexParty::RADIO);
        const auto other = monitor->GetTraffic(MutexParty::OTHER);
        NS_TEST_EXPECT_MSG_GT(own.frames, diary.Count("Tx"), "each message takes a frame, or hops");
        NS_TEST_EXPECT_MSG_GT(routing.frames, 50, "of the routing protocol");
        NS_TEST_EXPECT_MSG_GT(radio.frames, 50, "acknowledgements");
        NS_TEST_EXPECT_MSG_EQ(other.frames, 0, "nobody else is on the air");
        NS_TEST_EXPECT_MSG_EQ(own.frames + routing.frames + radio.frames,
                              monitor->GetTransmissions(),
                              "that is all");
    }

    std::string m_protocol; //!< its name
    std::string m_routing;  //!< the routing protocol's
};

/**
 * @ingroup manet-mutex-tests
 * Nobody answers for a long time: that is told, nothing is given up, and what waits is served when
 * the node is back.
 */
class MutexUnreachableTestCase : public MutexRoutedTestCase
{
    using MutexRoutedTestCase::MutexRoutedTestCase;

    void DoRun() override
    {
        helper = MutexHelper("raymond");
        helper.SetAttribute("Automatic", BooleanValue(false));
        helper.SetAttribute("UnreachableAfter", TimeValue(Seconds(10)));
        MakeWifi({Vector(0, 0, 0), Vector(300, 0, 0)});
        AddInternet(OlsrHelper());
        Install();
        for (uint32_t node : {0, 1})
        {
            App(node).TraceConnectWithoutContext(
                "Reach",
                MakeCallback(&MutexUnreachableTestCase::Reach, this));
        }
        RunUntil(Seconds(5));
        App(1).Request();
        RunUntil(Seconds(40));
        NS_TEST_EXPECT_MSG_EQ(App(1).GetState(), MutexApplication::WAITING, "cut off");
        NS_TEST_EXPECT_MSG_EQ((m_reach == std::vector<bool>{false}), true, "told once");
        Move(1, Vector(-50, 0, 0));
        RunUntil(Seconds(45));
        Move(1, Vector(0, 0, 0));
        RunUntil(Seconds(70));
        NS_TEST_EXPECT_MSG_EQ(App(1).GetState(), MutexApplication::INSIDE, "after its return");
        NS_TEST_EXPECT_MSG_EQ((m_reach == std::vector<bool>{false, true}), true, "told again");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetViolations(), 0, monitor->GetFirstViolation());
    }

    void Reach(uint32_t node, uint32_t peer, bool reachable)
    {
        NS_TEST_EXPECT_MSG_EQ(node, 1, "who tells");
        NS_TEST_EXPECT_MSG_EQ(peer, 0, "of whom");
        m_reach.push_back(reachable);
    }

    std::vector<bool> m_reach; //!< what was told
};

/**
 * @ingroup manet-mutex-tests
 * A datagram of a node that does not exist is dropped and counted, and all goes on.
 */
class MutexUnknownDatagramTestCase : public MutexRoutedTestCase
{
    using MutexRoutedTestCase::MutexRoutedTestCase;

    void DoRun() override
    {
        // 0 -- 1 -- 2, of which 2 takes no part and says that it is 7
        helper = MutexHelper("raymond");
        helper.SetAttribute("Automatic", BooleanValue(false));
        MakeWifi(Line(3, 55));
        AddInternet(OlsrHelper());
        applications = helper.Install(NodeContainer(nodes.Get(0), nodes.Get(1)));
        diary.Watch(applications);
        monitor = CreateObject<MutexMonitor>();
        monitor->Watch(applications);
        auto socket = Socket::CreateSocket(nodes.Get(2), UdpSocketFactory::GetTypeId());
        // A probe of node 7 for node 0 or 1, in life 0.
        for (uint8_t node : {0, 1})
        {
            const uint8_t probe[] = {1, 2, 0x10, 7, node, 0};
            Simulator::Schedule(Seconds(20), [=, packet = Create<Packet>(probe, sizeof probe)] {
                const Ipv4Address address(node == 0 ? "10.0.0.1" : "10.0.0.2");
                socket->SendTo(packet, 0, InetSocketAddress(address, 8895));
            });
        }
        RunUntil(Seconds(22));
        NS_TEST_EXPECT_MSG_EQ(App(0).GetUnknownPeers(), 1, "at 0");
        NS_TEST_EXPECT_MSG_EQ(App(1).GetUnknownPeers(), 1, "at 1");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetUnknownPeers(), 2, "at both");
        NS_TEST_EXPECT_MSG_EQ(diary.Count("FrameTx"), 0, "answers");
        App(1).Request();
        RunUntil(Seconds(25));
        NS_TEST_EXPECT_MSG_EQ(App(1).GetState(), MutexApplication::INSIDE, "all goes on");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetViolations(), 0, monitor->GetFirstViolation());
    }
};

/**
 * @ingroup manet-mutex-tests
 * A node that lost its memory has no valid pointers: it does not start again.
 */
class MutexRoutedRestartTestCase : public MutexRoutedTestCase
{
  public:
    /**
     * @param protocol its name
     * @param node restarts
     */
    MutexRoutedRestartTestCase(const std::string& protocol, uint32_t node)
        : MutexRoutedTestCase(protocol + " does not restart node " + std::to_string(node)),
          m_protocol(protocol),
          m_node(node)
    {
    }

  private:
    void DoRun() override
    {
        helper = MutexHelper(m_protocol);
        helper.SetAttribute("Automatic", BooleanValue(false));
        MakeWifi(Line(2, 55));
        AddInternet(OlsrHelper());
        Install();
        applications.Get(m_node)->SetStopTime(Seconds(20));
        auto second = CreateObject<MutexApplication>();
        second->SetAttribute("Protocol", StringValue(m_protocol));
        second->SetAttribute("Id", UintegerValue(m_node));
        second->SetAttribute("Population", UintegerValue(2));
        second->SetAttribute("Life", UintegerValue(1));
        second->SetStartTime(Seconds(21));
        nodes.Get(m_node)->AddApplication(second);
        monitor->WatchRestart(second);
        const auto error = RunToError(Seconds(30));
        NS_TEST_EXPECT_MSG_EQ(Contains(error, m_protocol + " cannot restart a node"), true, error);
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "leave it stopped"), true, error);
        NS_TEST_EXPECT_MSG_EQ(Simulator::Now(), Seconds(21), "when");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetViolations(), 0, monitor->GetFirstViolation());
        NS_TEST_EXPECT_MSG_EQ(monitor->GetLostTokens(), (m_node == 0 ? 1 : 0), "tokens lost");
    }

    std::string m_protocol; //!< its name
    uint32_t m_node;        //!< restarts
};

/**
 * @ingroup manet-mutex-tests
 * What is missing is said, with what to do.
 */
class MutexNoRoutingTestCase : public MutexRoutedTestCase
{
    using MutexRoutedTestCase::MutexRoutedTestCase;

    void DoRun() override
    {
        helper = MutexHelper("raymond");
        MakeWifi(Line(2, 55));
        auto error = ErrorOf([this] { Install(); });
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "has no IPv4 address"), true, error);
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "install an internet stack"), true, error);

        AddInternet(OlsrHelper());
        auto taken = Socket::CreateSocket(nodes.Get(1), UdpSocketFactory::GetTypeId());
        taken->Bind(InetSocketAddress(Ipv4Address::GetAny(), 8895));
        Install();
        error = RunToError(Seconds(1));
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "uses UDP port 8895 already"), true, error);
    }
};

/**
 * @ingroup manet-mutex-tests
 * Protocols over routing.
 */
class MutexRoutingTestSuite : public TestSuite
{
  public:
    MutexRoutingTestSuite()
        : TestSuite("manet-mutex-routing", Type::UNIT)
    {
        for (const auto routing : {"olsr", "aodv", "dsdv"})
        {
            AddTestCase(new MutexOverRoutingTestCase("raymond", routing));
        }
        for (const auto protocol : {"raymond", "naimi-trehel", "dgme"})
        {
            AddTestCase(new MutexRoutedRestartTestCase(protocol, 0));
            AddTestCase(new MutexRoutedRestartTestCase(protocol, 1));
        }
        AddTestCase(new MutexUnknownDatagramTestCase("a datagram of an unknown node is dropped"));
        AddTestCase(new MutexUnreachableTestCase("a node that is cut off"));
        AddTestCase(new MutexNoRoutingTestCase("without internet stack, or port"));
    }
} g_mutexRoutingTestSuite; //!< registers itself

} // namespace
