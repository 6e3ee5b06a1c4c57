/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Local mutual exclusion over 802.11: neighbours keep each other out, others do not.
#include "mutex-test-world.h"

#include "ns3/boolean.h"
#include "ns3/mutex-room.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <set>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup manet-mutex-tests
 * Five nodes on a line, of which each hears the next: several are inside at once, neighbours never.
 */
class MutexLineTestCase : public MutexTestCase
{
  public:
    /// @param protocol its name
    explicit MutexLineTestCase(const std::string& protocol)
        : MutexTestCase(protocol + " on a line"),
          m_protocol(protocol)
    {
    }

  private:
    void DoRun() override
    {
        helper = MutexHelper(m_protocol);
        helper.SetAttribute("ThinkTime", StringValue("ns3::ExponentialRandomVariable[Mean=0.5]"));
        helper.SetAttribute("CsTime", StringValue("ns3::ConstantRandomVariable[Constant=0.5]"));
        helper.SetAttribute("FirstRequest", TimeValue(Seconds(5)));
        helper.SetAttribute("LastRequest", TimeValue(Seconds(30)));
        MakeWifi(Line(5, 55));
        Install();
        RunUntil(Seconds(60));
        ExpectExclusionAndService();
        std::set<uint32_t> inside;
        std::size_t most = 0;
        bool neighbours = false;
        for (const auto& event : diary.events)
        {
            if (event.what == "Release")
            {
                inside.erase(event.node);
            }
            if (event.what == "Enter")
            {
                neighbours |= inside.count(event.node + 1) > 0;
                neighbours |= event.node > 0 && inside.count(event.node - 1) > 0;
                inside.insert(event.node);
                most = std::max(most, inside.size());
            }
        }
        NS_TEST_EXPECT_MSG_EQ(neighbours, false, "neighbours inside together");
        NS_TEST_EXPECT_MSG_GT(most, 1, "inside at once");
        NS_TEST_EXPECT_MSG_EQ(diary.Count("TokenMoved"), 0, "there is no token");
    }

    std::string m_protocol; //!< its name
};

/**
 * @ingroup manet-mutex-tests
 * Two nodes are inside, out of each other's range. One comes: it has to step back, and gets in
 * again when the other has left.
 */
class MutexMeetingTestCase : public MutexTestCase
{
  public:
    /// @param protocol its name
    explicit MutexMeetingTestCase(const std::string& protocol)
        : MutexTestCase(protocol + ": a node that comes steps back"),
          m_protocol(protocol)
    {
    }

  private:
    void DoRun() override
    {
        helper = MutexHelper(m_protocol);
        helper.SetAttribute("Automatic", BooleanValue(false));
        MakeWifi(Line(2, 200));
        Install();
        monitor->TraceConnectWithoutContext("Company",
                                            MakeCallback(&MutexMeetingTestCase::Company, this));
        RunUntil(Seconds(2));
        App(0).Request();
        App(1).Request();
        NS_TEST_EXPECT_MSG_EQ(monitor->GetInside(), 2, "inside, far from each other");

        Move(1, Vector(-10, 0, 0));
        RunUntil(Seconds(18));
        NS_TEST_ASSERT_MSG_EQ(diary.Count("LinkUp"), 2, "ends of the link");
        NS_TEST_EXPECT_MSG_EQ(diary.At("LinkUp", 1).front().text, "moving", "role of who comes");
        NS_TEST_EXPECT_MSG_EQ(diary.Count("Demote"), 1, "who steps back");
        NS_TEST_EXPECT_MSG_EQ(diary.At("Demote", 1).size(), 1, "that is who comes");
        NS_TEST_EXPECT_MSG_EQ(App(0).GetState(), MutexApplication::INSIDE, "who stayed");
        NS_TEST_EXPECT_MSG_EQ(App(1).GetState(), MutexApplication::WAITING, "who came");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetDemotions(), 1, "counted");
        const auto error = ErrorOf([this] { App(1).Release(); });
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "not inside"), true, error);
        // They were together from the second request to the link.
        NS_TEST_ASSERT_MSG_EQ(m_company.size(), 1, "times together");
        NS_TEST_EXPECT_MSG_EQ(m_company[0],
                              diary.At("LinkUp", 1).front().time - Seconds(2),
                              "how long");

        App(0).Release();
        RunUntil(Seconds(19));
        NS_TEST_EXPECT_MSG_EQ(App(1).GetState(), MutexApplication::INSIDE, "who came, later");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetViolations(), 0, monitor->GetFirstViolation());
    }

    void Company(uint32_t, uint32_t, Time time)
    {
        m_company.push_back(time);
    }

    std::string m_protocol;      //!< its name
    std::vector<Time> m_company; //!< told by the monitor
};

/**
 * @ingroup manet-mutex-tests
 * A node that falls silent while inside holds its neighbours up only until their links to it close.
 */
class MutexSilentNodeTestCase : public MutexTestCase
{
  public:
    /// @param protocol its name
    explicit MutexSilentNodeTestCase(const std::string& protocol)
        : MutexTestCase(protocol + ": a node falls silent inside"),
          m_protocol(protocol)
    {
    }

  private:
    void DoRun() override
    {
        helper = MutexHelper(m_protocol);
        helper.SetAttribute("Automatic", BooleanValue(false));
        MakeWifi(Line(3, 55));
        Install();
        RunUntil(Seconds(5));
        App(1).Request();
        RunUntil(Seconds(6));
        NS_TEST_ASSERT_MSG_EQ(App(1).GetState(), MutexApplication::INSIDE, "the one in the middle");
        App(0).Request();
        App(2).Request();
        RunUntil(Seconds(7));
        NS_TEST_EXPECT_MSG_EQ(monitor->GetWaiting(), 2, "held up");
        Teleport(1, Vector(5000, 0, 0)); // Nothing is heard of it any more.
        RunUntil(Seconds(15));
        NS_TEST_EXPECT_MSG_EQ(App(0).GetState(), MutexApplication::INSIDE, "one end");
        NS_TEST_EXPECT_MSG_EQ(App(2).GetState(), MutexApplication::INSIDE, "the other end");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetViolations(), 0, monitor->GetFirstViolation());
    }

    std::string m_protocol; //!< its name
};

/**
 * @ingroup manet-mutex-tests
 * The monitor's own judge: what it calls a violation under a local protocol.
 */
class MutexRoomTestCase : public TestCase
{
  public:
    MutexRoomTestCase()
        : TestCase("neighbours are judged by their link")
    {
    }

  private:
    void DoRun() override
    {
        std::vector<std::pair<uint32_t, uint32_t>> told;
        MutexRoom room(true, 0, [&](uint32_t a, uint32_t b, Time) { told.emplace_back(a, b); });
        NS_TEST_EXPECT_MSG_EQ(room.Enter(3, {}), "", "alone");
        NS_TEST_EXPECT_MSG_EQ(room.Enter(1, {}), "", "strangers");
        room.Meet(3, 1);
        NS_TEST_EXPECT_MSG_EQ((told == std::vector<std::pair<uint32_t, uint32_t>>{{1, 3}}),
                              true,
                              "time together without a link ends");
        NS_TEST_EXPECT_MSG_EQ(room.Check(1, 3),
                              "neighbours 1 (exclusive) and 3 (exclusive) are inside together",
                              "nobody stepped back");
        room.Leave(3);
        NS_TEST_EXPECT_MSG_EQ(room.Check(1, 3), "", "one left");
        NS_TEST_EXPECT_MSG_NE(room.Enter(3, {}), "", "back while the other is inside");
        room.Part(1, 3);
        NS_TEST_EXPECT_MSG_EQ(room.Check(1, 3), "", "no longer neighbours");
        NS_TEST_EXPECT_MSG_EQ(room.GetSize(), 2, "inside");
        room.Leave(1);
        NS_TEST_EXPECT_MSG_EQ(told.size(), 2, "times together");

        // A node that stops inside keeps its neighbours out until their link closes.
        room.Leave(3);
        room.Meet(1, 3);
        NS_TEST_EXPECT_MSG_EQ(room.Enter(1, {}), "", "alone again");
        room.Silence(1);
        NS_TEST_EXPECT_MSG_EQ(room.GetSize(), 0, "a node that stopped does not count");
        NS_TEST_EXPECT_MSG_NE(room.Enter(3, {}), "", "its neighbour enters");
        room.Leave(3);
        room.Part(1, 3);
        NS_TEST_EXPECT_MSG_EQ(room.Enter(3, {}), "", "once their link has closed");
        NS_TEST_EXPECT_MSG_EQ(told.size(), 2, "nobody is in company of a node that stopped");
        room.Leave(3);
        room.Meet(1, 3);
        room.Revive(1);
        NS_TEST_EXPECT_MSG_EQ(room.Enter(3, {}), "", "or once it has started again");

        MutexRoom whole(false, 0, [](uint32_t, uint32_t, Time) {});
        whole.Enter(1, {});
        NS_TEST_EXPECT_MSG_NE(whole.Enter(3, {}), "", "under other protocols, links do not matter");
    }
};

/**
 * @ingroup manet-mutex-tests
 * Local mutual exclusion.
 */
class MutexLocalTestSuite : public TestSuite
{
  public:
    MutexLocalTestSuite()
        : TestSuite("manet-mutex-local", Type::UNIT)
    {
        AddTestCase(new MutexRoomTestCase);
        for (const auto protocol : {"lme1a", "lme1b", "lme2"})
        {
            AddTestCase(new MutexLineTestCase(protocol));
            AddTestCase(new MutexMeetingTestCase(protocol));
            AddTestCase(new MutexSilentNodeTestCase(protocol));
        }
    }
} g_mutexLocalTestSuite; //!< registers itself

} // namespace
