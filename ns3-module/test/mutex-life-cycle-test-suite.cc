/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Starts, stops and ends, in any order. What they leave behind is for sanitizers to find.
#include "mutex-test-world.h"

#include "ns3/boolean.h"
#include "ns3/mutex-connectivity.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

using namespace ns3;

namespace
{

/**
 * @ingroup manet-mutex-tests
 * A node stops in mid-run; the others go on.
 */
class MutexStopTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        // 0 -- 1 -- 2 -- 0, a triangle; 1 stops
        helper.SetAttribute("Automatic", BooleanValue(false));
        MakeIdeal(3);
        Install();
        applications.Get(1)->SetStopTime(Seconds(10));
        Simulator::Schedule(Seconds(9.999), [this] { App(1).Request(); });
        RunUntil(Seconds(5));
        App(0).Request();
        RunUntil(Seconds(15));
        NS_TEST_EXPECT_MSG_EQ(App(1).GetState(), MutexApplication::IDLE, "state of 1");
        App(2).Request();
        RunUntil(Seconds(16));
        App(0).Release();
        RunUntil(Seconds(20));
        NS_TEST_EXPECT_MSG_EQ(App(2).GetState(), MutexApplication::INSIDE, "state of 2");
        NS_TEST_EXPECT_MSG_GT(diary.At("FrameTx", 1).size(), 10, "frames of 1");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(diary.At("FrameTx", 1).back().time, Seconds(10), "last one");
        NS_TEST_EXPECT_MSG_EQ(diary.Count("LinkDown"), 2, "who noticed");
        NS_TEST_EXPECT_MSG_EQ(diary.At("Enter", 1).size(), 0, "entries of 1");
    }
};

/**
 * @ingroup manet-mutex-tests
 * A node stops at any time around a hand-over: what its radio still has to tell finds nobody.
 */
class MutexStopSendingTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        for (int microseconds = 0; microseconds <= 600; microseconds += 30)
        {
            // 0 is to send the token to 1
            helper.SetAttribute("Automatic", BooleanValue(false));
            diary.events.clear();
            MakeWifi(Line(2, 50));
            Install();
            applications.Get(0)->SetStopTime(Seconds(5) + MicroSeconds(microseconds));
            Simulator::Schedule(Seconds(5), [this] { App(1).Request(); });
            RunUntil(Seconds(6));
            m_arrived += diary.At("TokenMoved", 1).size();
            m_cut += 1 - diary.At("TokenMoved", 1).size();
            for (const auto& event : diary.At("FrameTx", 0))
            {
                NS_TEST_EXPECT_MSG_LT_OR_EQ(event.time,
                                            Seconds(5) + MicroSeconds(microseconds),
                                            "frames");
            }
            DoTeardown();
        }
        NS_TEST_EXPECT_MSG_GT(m_arrived, 0, "tokens that arrived");
        NS_TEST_EXPECT_MSG_GT(m_cut, 0, "tokens that did not");
    }

    uint64_t m_arrived{0}; //!< tokens
    uint64_t m_cut{0};     //!< tokens
};

/**
 * @ingroup manet-mutex-tests
 * A new life of a node.
 */
class MutexNewLifeTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        // 0 -- 1, which is off from 10 s to 11 s and has forgotten everything
        helper.SetAttribute("Automatic", BooleanValue(false));
        MakeIdeal(2);
        Install();
        applications.Get(1)->SetStopTime(Seconds(10));
        auto second = CreateObject<MutexApplication>();
        second->SetAttribute("Automatic", BooleanValue(false));
        second->SetAttribute("Id", UintegerValue(1));
        second->SetAttribute("Population", UintegerValue(2));
        second->SetAttribute("Life", UintegerValue(1));
        second->SetStartTime(Seconds(11));
        nodes.Get(1)->AddApplication(second);
        Simulator::Schedule(Seconds(18), [=] { second->Request(); });
        RunUntil(Seconds(20));
        NS_TEST_EXPECT_MSG_EQ(diary.At("LinkUp", 0).size(), 2, "links to 1");
        NS_TEST_EXPECT_MSG_EQ(diary.At("LinkDown", 0).size(), 1, "links to 1 lost");
        NS_TEST_EXPECT_MSG_EQ(second->GetState(), MutexApplication::INSIDE, "state of 1");
    }
};

/**
 * @ingroup manet-mutex-tests
 * The end, without a run.
 */
class MutexNoRunTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        MakeWifi(Line(2, 50));
        Install();
        auto connectivity = CreateObject<MutexConnectivity>();
        connectivity->Start(nodes, CreateObject<FriisPropagationLossModel>(), monitor);
        const auto application = applications.Get(0);
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(monitor->GetRequests(), 0, "requests");
        NS_TEST_EXPECT_MSG_EQ(diary.events.size(), 0, "events");
    }
};

/**
 * @ingroup manet-mutex-tests
 * Applications, monitor and observer are held longer than the simulator, or shorter.
 */
class MutexOrderTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        helper.SetAttribute("ThinkTime", StringValue("ns3::ConstantRandomVariable[Constant=1]"));

        // Longer.
        MakeWifi(Line(2, 50));
        Install();
        RunUntil(Seconds(10));
        const auto entries = monitor->GetEntries();
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_GT(entries, 0, "entries");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetEntries(), entries, "entries afterwards");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetViolations(), 0, monitor->GetFirstViolation());
        NS_TEST_EXPECT_MSG_EQ(App(0).GetState(), MutexApplication::IDLE, "state");
        App(0).StopRequests();
        const auto error = ErrorOf([this] { App(0).Request(); });
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "does not run"), true, error);
        DoTeardown();

        // Shorter: an observer that nobody holds looks no more.
        MakeWifi(Line(2, 50));
        Install();
        {
            auto connectivity = CreateObject<MutexConnectivity>();
            connectivity->Start(nodes, CreateObject<FriisPropagationLossModel>(), monitor);
            RunUntil(Seconds(5));
            NS_TEST_EXPECT_MSG_GT(connectivity->GetInRange().GetLooks(), 20, "looks");
        }
        RunUntil(Seconds(10));
        applications = ApplicationContainer();
        monitor = nullptr;
        Simulator::Destroy();
    }
};

/**
 * @ingroup manet-mutex-tests
 * Each run of many in a process is like the first.
 */
class MutexManyRunsTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        std::vector<Time> first;
        for (int run = 0; run < 5; ++run)
        {
            // 0 -- 1 -- 2
            diary.events.clear();
            MakeWifi(Line(3, 50));
            Install();
            RunUntil(Seconds(30));
            std::vector<Time> times;
            for (const auto& event : diary.events)
            {
                times.push_back(event.time);
            }
            first = run == 0 ? times : first;
            NS_TEST_EXPECT_MSG_GT(times.size(), 100, "events");
            NS_TEST_EXPECT_MSG_EQ((times == first), true, "like the first");
            NS_TEST_EXPECT_MSG_EQ(monitor->GetViolations(), 0, monitor->GetFirstViolation());
            DoTeardown();
        }
    }
};

/**
 * @ingroup manet-mutex-tests
 * A run in pieces is a run.
 */
class MutexPiecesTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        MakeIdeal(3);
        Install();
        RunUntil(Seconds(100));
        const auto whole = diary.events.size();
        NS_TEST_EXPECT_MSG_GT(whole, 100, "events");
        DoTeardown();

        diary.events.clear();
        MakeIdeal(3);
        Install();
        for (int second = 1; second <= 100; ++second)
        {
            RunUntil(Seconds(second));
        }
        NS_TEST_EXPECT_MSG_EQ(diary.events.size(), whole, "events");
    }
};

/**
 * @ingroup manet-mutex-tests
 * Starts, stops and ends.
 */
class MutexLifeCycleTestSuite : public TestSuite
{
  public:
    MutexLifeCycleTestSuite()
        : TestSuite("manet-mutex-life-cycle", Type::UNIT)
    {
        AddTestCase(new MutexStopTestCase("a node stops, others go on"));
        AddTestCase(new MutexStopSendingTestCase("a node stops while it sends"));
        AddTestCase(new MutexNewLifeTestCase("a node comes back in a new life"));
        AddTestCase(new MutexNoRunTestCase("an end without a run"));
        AddTestCase(new MutexOrderTestCase("objects go in any order"));
        AddTestCase(new MutexManyRunsTestCase("many runs in a process are alike"));
        AddTestCase(new MutexPiecesTestCase("a run in pieces is a run"));
    }
};

MutexLifeCycleTestSuite g_mutexLifeCycleTestSuite; //!< registers itself

} // namespace
