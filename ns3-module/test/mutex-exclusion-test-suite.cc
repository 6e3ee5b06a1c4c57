/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Over 802.11: at most one node is inside, and everybody who asks gets in. And who watches this
// notices when it is not so.
#include "mutex-test-puppet.h"
#include "mutex-test-world.h"

#include "ns3/boolean.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cmath>

using namespace ns3;

namespace
{

/**
 * @ingroup manet-mutex-tests
 * A network at work for a while, which is then let finish.
 */
class MutexExclusionTestCase : public MutexTestCase
{
  public:
    /**
     * @param name of the topology
     * @param positions of the nodes
     * @param links that there are
     */
    MutexExclusionTestCase(const std::string& name,
                           const std::vector<Vector>& positions,
                           uint32_t links)
        : MutexTestCase(name),
          m_positions(positions),
          m_links(links)
    {
    }

  protected:
    /// Think for 2 s, stay for 0.1 s, requests from 5 s to 30 s.
    void Work()
    {
        helper.SetAttribute("ThinkTime", StringValue("ns3::ExponentialRandomVariable[Mean=2]"));
        helper.SetAttribute("FirstRequest", TimeValue(Seconds(5)));
        helper.SetAttribute("LastRequest", TimeValue(Seconds(30)));
        MakeWifi(m_positions);
        Install();
    }

    void DoRun() override
    {
        Work();
        RunUntil(Seconds(60));
        NS_TEST_EXPECT_MSG_EQ(monitor->GetLinks().size(), m_links, "links");
        NS_TEST_EXPECT_MSG_GT(monitor->GetEntries(), 5 * nodes.GetN(), "entries");
        ExpectExclusionAndService();
        NS_TEST_EXPECT_MSG_EQ(monitor->GetWaiting(), 0, "waiting");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetInside(), 0, "inside");
        ExpectAlone();
    }

    /// The same from the diary, without the monitor: entries and releases take turns.
    void ExpectAlone()
    {
        bool inside = false;
        uint32_t who = 0;
        for (const auto& event : diary.events)
        {
            if (event.what == "Enter")
            {
                NS_TEST_EXPECT_MSG_EQ(inside, false, "node " << event.node << " enters");
                inside = true;
                who = event.node;
            }
            if (event.what == "Release")
            {
                NS_TEST_EXPECT_MSG_EQ(event.node, who, "who leaves");
                NS_TEST_EXPECT_MSG_EQ(event.span, MilliSeconds(100), "stay");
                inside = false;
            }
        }
    }

    std::vector<Vector> m_positions; //!< of the nodes
    uint32_t m_links;                //!< that there are
};

/**
 * @ingroup manet-mutex-tests
 * A node walks along the others: it leaves one and meets the next, again and again.
 */
class MutexWalkerTestCase : public MutexExclusionTestCase
{
    using MutexExclusionTestCase::MutexExclusionTestCase;

    void DoRun() override
    {
        Work();
        // 4 ---------------------->
        // 0 -- 1 -- 2 -- 3
        Move(4, Vector(5, 0, 0));
        Simulator::Schedule(Seconds(30), [this] { Move(4, Vector()); });
        RunUntil(Seconds(60));
        NS_TEST_EXPECT_MSG_EQ(diary.At("LinkUp", 4).size(), 4, "links that it had");
        NS_TEST_EXPECT_MSG_GT(diary.At("LinkDown", 4).size(), 1, "links that it lost");
        ExpectExclusionAndService();
        ExpectAlone();
    }
};

/**
 * @ingroup manet-mutex-tests
 * @param count how many
 * @param gap between neighbours
 * @returns positions on a ring
 */
std::vector<Vector>
Ring(uint32_t count, double gap)
{
    const double radius = gap / (2 * std::sin(M_PI / count));
    std::vector<Vector> positions;
    for (uint32_t i = 0; i < count; ++i)
    {
        const double angle = 2 * M_PI * i / count;
        positions.emplace_back(radius * std::cos(angle), radius * std::sin(angle), 0);
    }
    return positions;
}

/**
 * @ingroup manet-mutex-tests
 * @param side how many in a row
 * @param gap between neighbours
 * @returns positions on a grid
 */
std::vector<Vector>
Grid(uint32_t side, double gap)
{
    std::vector<Vector> positions;
    for (uint32_t i = 0; i < side * side; ++i)
    {
        positions.emplace_back(gap * (i % side), gap * (i / side), 0);
    }
    return positions;
}

/**
 * @ingroup manet-mutex-tests
 * A forged token: two nodes are inside at once, and the monitor sees it.
 */
class MutexForgedTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        // 0 has the token    1 -- 2, a puppet that says it is 0
        helper.SetAttribute("Automatic", BooleanValue(false));
        MakeIdeal(3);
        Separate(0, 1);
        Separate(0, 2);
        NodeContainer stations(nodes.Get(0), nodes.Get(1));
        applications = helper.Install(stations);
        monitor = CreateObject<MutexMonitor>();
        monitor->Watch(applications);
        monitor->TraceConnectWithoutContext("Violation",
                                            MakeCallback(&MutexForgedTestCase::Violation, this));
        MutexTestPuppet puppet(devices.Get(2), 0, 1);
        puppet.Start();

        RunUntil(Seconds(4));
        App(0).Request();
        App(1).Request();
        NS_TEST_EXPECT_MSG_EQ(monitor->GetViolations(), 0, monitor->GetFirstViolation());
        NS_TEST_EXPECT_MSG_EQ(monitor->GetInside(), 1, "inside");

        // rl Token height=(0,-3,0) more=false
        puppet.Say({1, 1, 2, 0, 5, 0, 0});
        RunUntil(Seconds(5));
        NS_TEST_EXPECT_MSG_EQ(App(1).GetState(), MutexApplication::INSIDE, "state of node 1");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetInside(), 2, "inside");
        NS_TEST_EXPECT_MSG_GT(monitor->GetViolations(), 2, "violations");
        NS_TEST_EXPECT_MSG_EQ(Contains(monitor->GetFirstViolation(), "two tokens"),
                              true,
                              monitor->GetFirstViolation());
        NS_TEST_EXPECT_MSG_EQ(Contains(m_told, "two tokens, one of them at node 1"), true, m_told);
        NS_TEST_EXPECT_MSG_EQ(Contains(m_told, "nodes 1 (exclusive) and 0 (exclusive) are inside"),
                              true,
                              m_told);
    }

    void Violation(const std::string& what)
    {
        m_told += what + "\n";
    }

    std::string m_told; //!< by the monitor
};

/**
 * @ingroup manet-mutex-tests
 * Two nodes of one name, each with a token.
 */
class MutexNamesakesTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        // 0    0, deaf to each other
        helper.SetAttribute("Automatic", BooleanValue(false));
        MakeIdeal(2);
        Separate(0, 1);
        applications = helper.Install(nodes);
        App(1).SetAttribute("Id", UintegerValue(0));
        monitor = CreateObject<MutexMonitor>();
        monitor->Watch(applications);
        RunUntil(Seconds(1));
        App(0).Request();
        App(1).Request();
        NS_TEST_EXPECT_MSG_GT(monitor->GetViolations(), 0, "violations");
    }
};

/**
 * @ingroup manet-mutex-tests
 * What a monitor refuses to watch; and that it can then watch the right thing.
 */
class MutexWatchTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        helper.SetAttribute("ThinkTime", StringValue("ns3::ConstantRandomVariable[Constant=1]"));
        MakeIdeal(3);
        applications = helper.Install(nodes);
        monitor = CreateObject<MutexMonitor>();

        auto error = ErrorOf([this] { monitor->Watch(ApplicationContainer()); });
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "nothing to watch"), true, error);

        ApplicationContainer some(applications.Get(0));
        some.Add(applications.Get(1));
        error = ErrorOf([&] { monitor->Watch(some); });
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "all MutexApplications of a run"), true, error);

        some.Add(CreateObject<Application>());
        error = ErrorOf([&] { monitor->Watch(some); });
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "all MutexApplications of a run"), true, error);

        error = ErrorOf([this] { monitor->Watch(applications); });
        NS_TEST_EXPECT_MSG_EQ(error, "", "the right ones");
        error = ErrorOf([this] { monitor->Watch(applications); });
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "make another one"), true, error);

        // Everything is seen once.
        diary.Watch(applications);
        RunUntil(Seconds(20));
        NS_TEST_EXPECT_MSG_EQ(monitor->GetEntries(), diary.Count("Enter"), "entries");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetRequests(), diary.Count("Request"), "requests");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetLinkUps(), diary.Count("LinkUp"), "links");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetLinks().size(), 3, "links");
        NS_TEST_EXPECT_MSG_GT(monitor->GetEntries(), 0, "entries");
    }
};

/**
 * @ingroup manet-mutex-tests
 * What a monitor counts, beside what it judges.
 */
class MutexCountsTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        // 0 -- 1, with frames for one node, which their receivers' radios acknowledge
        helper.SetAttribute("Automatic", BooleanValue(false));
        helper.SetAttribute("Sharing", BooleanValue(false));
        MakeWifi(Line(2, 50));
        Install();
        Simulator::Schedule(Seconds(5), [this] { App(1).Request(); });
        Simulator::Schedule(Seconds(7), [this] { App(1).Release(); });
        RunUntil(Seconds(10));
        NS_TEST_EXPECT_MSG_EQ(monitor->GetMessages().at("Request"), 1, "requests sent");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetMessages().at("Token"), 1, "tokens sent");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetTokenMoves(), 1, "token moves");
        NS_TEST_ASSERT_MSG_EQ(monitor->GetWaits().size(), 1, "waits");
        NS_TEST_EXPECT_MSG_EQ_TOL(monitor->GetWaits()[0],
                                  diary.All("Enter").at(0).span.GetSeconds(),
                                  1e-12,
                                  "wait");
        // Two messages over one hop of an idle channel: some milliseconds.
        NS_TEST_EXPECT_MSG_GT(monitor->GetWaits()[0], 0, "wait");
        NS_TEST_EXPECT_MSG_LT(monitor->GetWaits()[0], 0.02, "wait");

        const auto frames = diary.Count("FrameTx");
        uint64_t counted = 0;
        for (const auto& [kind, count] : monitor->GetFrames())
        {
            counted += count;
        }
        NS_TEST_EXPECT_MSG_EQ(counted, frames, "frames");
        // On the air there are acknowledgements too.
        NS_TEST_EXPECT_MSG_GT(monitor->GetTransmissions(), frames, "transmissions");
        NS_TEST_EXPECT_MSG_GT(monitor->GetTransmittedBytes(), monitor->GetHelloBytes(), "bytes");
        NS_TEST_EXPECT_MSG_GT(monitor->GetHelloAirtime(), Time(0), "airtime of hellos");
        NS_TEST_EXPECT_MSG_LT(monitor->GetHelloAirtime(), monitor->GetAirtime(), "airtime");
    }
};

/**
 * @ingroup manet-mutex-tests
 * Two networks of different protocols on one channel. Their nodes have the same names, and each
 * message is a frame for one node: neither must take an address from the other's frames.
 */
class MutexTwoNetworksTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        // 0, 1 and 2 of rl, and 0, 1 and 2 of gme
        MakeIdeal(6);
        std::vector<Ptr<MutexMonitor>> monitors;
        for (const auto protocol : {"rl", "gme"})
        {
            MutexHelper network(protocol);
            network.SetAttribute("Sharing", BooleanValue(false));
            network.SetAttribute("ThinkTime",
                                 StringValue("ns3::ExponentialRandomVariable[Mean=1]"));
            network.SetAttribute("FirstRequest", TimeValue(Seconds(5)));
            network.SetAttribute("LastRequest", TimeValue(Seconds(60)));
            NodeContainer some;
            for (uint32_t i = 0; i < 3; ++i)
            {
                some.Add(nodes.Get(3 * monitors.size() + i));
            }
            auto watched = network.Install(some);
            MutexHelper::AssignStreams(some, 100 * monitors.size());
            monitors.push_back(CreateObject<MutexMonitor>());
            monitors.back()->Watch(watched);
        }
        RunUntil(Seconds(80));
        for (const auto& each : monitors)
        {
            NS_TEST_EXPECT_MSG_EQ(each->GetViolations(), 0, each->GetFirstViolation());
            NS_TEST_EXPECT_MSG_EQ(each->GetWaiting(), 0, "not served");
            NS_TEST_EXPECT_MSG_GT(each->GetFrames().at("data"), 20, "frames for one node");
            for (const auto entries : each->GetEntriesByNode())
            {
                NS_TEST_EXPECT_MSG_GT(entries, 10, "entries of a node");
            }
        }
    }
};

/**
 * @ingroup manet-mutex-tests
 * Hellos that carry messages are hellos too where the air is counted.
 */
class MutexHelloAirtimeTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        // 0 -- 1, with messages on hellos: nothing else is on the air
        helper.SetAttribute("Automatic", BooleanValue(false));
        MakeWifi(Line(2, 50));
        Install();
        Simulator::Schedule(Seconds(5), [this] { App(1).Request(); });
        Simulator::Schedule(Seconds(7), [this] { App(1).Release(); });
        RunUntil(Seconds(10));
        NS_TEST_EXPECT_MSG_EQ(monitor->GetEntries(), 1, "entries");
        NS_TEST_EXPECT_MSG_GT(monitor->GetFrames().at("shared"), 0, "hellos with messages");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetHelloAirtime(), monitor->GetAirtime(), "airtime");
    }
};

/**
 * @ingroup manet-mutex-tests
 * Exclusion, service, and those who watch them.
 */
class MutexExclusionTestSuite : public TestSuite
{
  public:
    MutexExclusionTestSuite()
        : TestSuite("manet-mutex-exclusion", Type::UNIT)
    {
        // 0 -- 1 -- 2 -- 3 -- 4
        AddTestCase(new MutexExclusionTestCase("on a line", MutexTestCase::Line(5, 55), 4));
        // 0 - 1 - 2
        // |       |
        // 5 - 4 - 3
        AddTestCase(new MutexExclusionTestCase("on a ring", Ring(6, 55), 6));
        // 0 - 1 - 2
        // |   |   |
        // 3 - 4 - 5
        // |   |   |
        // 6 - 7 - 8
        AddTestCase(new MutexExclusionTestCase("on a grid", Grid(3, 55), 12));
        auto walk = MutexTestCase::Line(4, 55);
        walk.emplace_back(0, 20, 0);
        AddTestCase(new MutexWalkerTestCase("while a node walks by", walk, 0));
        AddTestCase(new MutexForgedTestCase("a monitor sees a forged token"));
        AddTestCase(new MutexNamesakesTestCase("a monitor sees two nodes of one name"));
        AddTestCase(new MutexWatchTestCase("a monitor watches all nodes of a run"));
        AddTestCase(new MutexTwoNetworksTestCase("two networks on one channel do not mix"));
        AddTestCase(new MutexHelloAirtimeTestCase("hellos with messages on the air"));
        AddTestCase(new MutexCountsTestCase("a monitor counts"));
    }
};

MutexExclusionTestSuite g_mutexExclusionTestSuite; //!< registers itself

} // namespace
