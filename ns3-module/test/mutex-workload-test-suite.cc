/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// When nodes ask and leave, by themselves or as a program tells them, and that it can be repeated.
#include "mutex-test-world.h"

#include "ns3/boolean.h"
#include "ns3/mutex-event-log.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"

#include <fstream>
#include <sstream>

using namespace ns3;

namespace
{

/// A random variable that is none. @param seconds its value @returns the attribute
StringValue
Constant(double seconds)
{
    return StringValue("ns3::ConstantRandomVariable[Constant=" + std::to_string(seconds) + "]");
}

/**
 * @ingroup manet-mutex-tests
 * A node alone: nothing but its workload takes time.
 */
class MutexTimesTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        helper.SetAttribute("ThinkTime", Constant(2));
        helper.SetAttribute("CsTime", Constant(0.3));
        helper.SetAttribute("FirstRequest", TimeValue(Seconds(4)));
        helper.SetAttribute("LastRequest", TimeValue(Seconds(14)));
        MakeIdeal(1);
        Install();
        applications.Start(Seconds(1));
        RunUntil(Seconds(60));
        // 1 + 4 + 2, then every 2.3 s, up to 14 s.
        const std::vector<Time> expected{Seconds(7.0),
                                         Seconds(9.3),
                                         Seconds(11.6),
                                         Seconds(13.9)};
        const auto requests = diary.All("Request");
        const auto enters = diary.All("Enter");
        const auto releases = diary.All("Release");
        NS_TEST_ASSERT_MSG_EQ(requests.size(), expected.size(), "requests");
        NS_TEST_ASSERT_MSG_EQ(enters.size(), expected.size(), "entries");
        NS_TEST_ASSERT_MSG_EQ(releases.size(), expected.size(), "releases");
        for (std::size_t i = 0; i < expected.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(requests[i].time, expected[i], "request");
            NS_TEST_EXPECT_MSG_EQ(enters[i].time, expected[i], "entry");
            NS_TEST_EXPECT_MSG_EQ(enters[i].span, Time(0), "wait");
            NS_TEST_EXPECT_MSG_EQ(releases[i].time, expected[i] + Seconds(0.3), "release");
            NS_TEST_EXPECT_MSG_EQ(releases[i].span, Seconds(0.3), "stay");
        }
    }
};

/**
 * @ingroup manet-mutex-tests
 * A node that neither thinks nor stays inside would keep the simulator at one instant.
 */
class MutexNoTimeTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        MakeIdeal(1);
        helper.SetAttribute("CsTime", Constant(0));
        const StringValue exponential("ns3::ExponentialRandomVariable[Mean=0]");
        for (const auto& none : {Constant(0), exponential})
        {
            helper.SetAttribute("ThinkTime", none);
            const auto error = ErrorOf([this] { helper.Install(nodes); });
            NS_TEST_EXPECT_MSG_EQ(Contains(error, "ThinkTime or CsTime"), true, error);
        }
    }
};

/**
 * @ingroup manet-mutex-tests
 * What happened before is not measured, but what is under way is.
 */
class MutexRestartTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        // 0 -- 1; both ask at 5 s, 0 has the token and stays inside up to 9 s, then 1 up to 13 s
        helper.SetAttribute("ThinkTime", Constant(5));
        helper.SetAttribute("CsTime", Constant(4));
        helper.SetAttribute("LastRequest", TimeValue(Seconds(6)));
        MakeIdeal(2);
        Install();
        Simulator::Schedule(Seconds(8), &MutexMonitor::Restart, monitor);
        RunUntil(Seconds(60));
        NS_TEST_EXPECT_MSG_EQ(diary.Count("Enter"), 2, "both were inside");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetRequests(), 1, "1 still waits");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetEntries(), 1, "and enters");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetEntriesByNode().at(0), 0, "0 was inside before");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetTokenMoves(), 1, "the token came to 1");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetMessages().count("Request"), 0, "sent before");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetLinkUps(), 0, "formed before");
        NS_TEST_EXPECT_MSG_EQ_TOL(monitor->GetMeanInside(), 1, 1e-9, "one at a time");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetViolations(), 0, monitor->GetFirstViolation());
    }
};

/**
 * @ingroup manet-mutex-tests
 * Requests are stopped while one waits.
 */
class MutexStopRequestsTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        // 0 -- 1; both ask at 5 s, 0 has the token
        helper.SetAttribute("ThinkTime", Constant(5));
        helper.SetAttribute("CsTime", Constant(4));
        MakeIdeal(2);
        Install();
        RunUntil(Seconds(6));
        NS_TEST_EXPECT_MSG_EQ(App(0).GetState(), MutexApplication::INSIDE, "state of 0");
        NS_TEST_EXPECT_MSG_EQ(App(1).GetState(), MutexApplication::WAITING, "state of 1");
        App(0).StopRequests();
        App(1).StopRequests();
        RunUntil(Seconds(60));
        NS_TEST_EXPECT_MSG_EQ(diary.Count("Request"), 2, "requests");
        NS_TEST_EXPECT_MSG_EQ(diary.Count("Release"), 2, "both were served and left");
        ExpectExclusionAndService();
    }
};

/**
 * @ingroup manet-mutex-tests
 * Requests are stopped while one thinks.
 */
class MutexStopThinkingTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        helper.SetAttribute("ThinkTime", Constant(5));
        MakeIdeal(1);
        Install();
        RunUntil(Seconds(7));
        App(0).StopRequests();
        RunUntil(Seconds(60));
        NS_TEST_EXPECT_MSG_EQ(diary.Count("Request"), 1, "requests");
        NS_TEST_EXPECT_MSG_EQ(diary.Count("Release"), 1, "releases");
    }
};

/**
 * @ingroup manet-mutex-tests
 * A program decides, from within trace sinks.
 */
class MutexSinksTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        // 0 -- 1
        helper.SetAttribute("Automatic", BooleanValue(false));
        MakeIdeal(2);
        Install();
        for (uint32_t node : {0, 1})
        {
            App(node).TraceConnectWithoutContext("Enter",
                                                 MakeCallback(&MutexSinksTestCase::Entered, this));
            App(node).TraceConnectWithoutContext("Release",
                                                 MakeCallback(&MutexSinksTestCase::Left, this));
            Simulator::Schedule(Seconds(5), [this, node] { App(node).Request(); });
        }
        RunUntil(Seconds(4));
        NS_TEST_EXPECT_MSG_EQ(diary.Count("Request"), 0, "requests by itself");
        RunUntil(Seconds(20));
        ExpectExclusionAndService();
        for (uint32_t node : {0, 1})
        {
            NS_TEST_EXPECT_MSG_EQ(App(node).GetState(), MutexApplication::IDLE, "state");
            NS_TEST_EXPECT_MSG_EQ(diary.At("Request", node).size(), 5, "requests");
            NS_TEST_EXPECT_MSG_EQ(diary.At("Release", node).size(), 5, "releases");
        }
        // What a sink asks for comes after the sink: all sinks see the events in their order.
        std::string order;
        for (const auto& event : diary.events)
        {
            if (event.node == 0 && (event.what == "Request" || event.what == "Enter" ||
                                    event.what == "Release"))
            {
                order += event.what[0] == 'R' ? event.what.substr(0, 3) : "Ent";
            }
        }
        NS_TEST_EXPECT_MSG_EQ(order, "ReqEntRelReqEntRelReqEntRelReqEntRelReqEntRel", "order");
    }

    void Entered(uint32_t node, const MutexDemand&, Time)
    {
        NS_TEST_EXPECT_MSG_EQ(App(node).GetState(), MutexApplication::INSIDE, "state");
        App(node).Release();
        NS_TEST_EXPECT_MSG_EQ(App(node).GetState(), MutexApplication::INSIDE, "not yet");
    }

    void Left(uint32_t node, Time)
    {
        if (diary.At("Release", node).size() < 5)
        {
            App(node).Request();
        }
    }
};

/**
 * @ingroup manet-mutex-tests
 * The same streams give the same run, to the byte; others another.
 */
class MutexStreamsTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        const auto first = Written(1, 1);
        const auto again = Written(1, 1);
        const auto run = Written(2, 1);
        const auto stream = Written(1, 500);
        NS_TEST_EXPECT_MSG_GT(first.size(), 10000, "bytes written");
        NS_TEST_EXPECT_MSG_EQ((first == again), true, "the same");
        NS_TEST_EXPECT_MSG_EQ((first == run), false, "another run");
        NS_TEST_EXPECT_MSG_EQ((first == stream), false, "another stream");
    }

    /**
     * @param run the number of the run
     * @param stream the first stream of the applications
     * @returns the event log of a line of three
     */
    std::string Written(uint64_t run, int64_t stream)
    {
        RngSeedManager::SetRun(run);
        // 0 -- 1 -- 2 -->
        helper.SetAttribute("ThinkTime", StringValue("ns3::ExponentialRandomVariable[Mean=1]"));
        MakeWifi(Line(3, 50));
        Install();
        const auto assigned = MutexHelper::AssignStreams(nodes, stream);
        NS_TEST_EXPECT_MSG_EQ(assigned, 12, "four streams for each node");
        Move(2, Vector(1, 0, 0));
        const auto path = CreateTempDirFilename("events.jsonl");
        {
            MutexEventLog log(path);
            log.Watch(applications);
            RunUntil(Seconds(60));
            log.Close();
            DoTeardown();
        }
        std::ostringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    }
};

/**
 * @ingroup manet-mutex-tests
 * Requests and releases.
 */
class MutexWorkloadTestSuite : public TestSuite
{
  public:
    MutexWorkloadTestSuite()
        : TestSuite("manet-mutex-workload", Type::UNIT)
    {
        AddTestCase(new MutexTimesTestCase("times of requests and releases are exact"));
        AddTestCase(new MutexNoTimeTestCase("a workload that takes no time is refused"));
        AddTestCase(new MutexRestartTestCase("measures from a time on"));
        AddTestCase(new MutexStopRequestsTestCase("who waits is served after StopRequests"));
        AddTestCase(new MutexStopThinkingTestCase("who thinks does not ask after StopRequests"));
        AddTestCase(new MutexSinksTestCase("sinks request and release"));
        AddTestCase(new MutexStreamsTestCase("the same streams give the same bytes"));
    }
};

MutexWorkloadTestSuite g_mutexWorkloadTestSuite; //!< registers itself

} // namespace
