/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Nodes that stop, with or without the token, and start again without their memory: the token is
// made once, and a monitor that is told of the new lives sees no violation.
#include "mutex-test-world.h"

#include "ns3/boolean.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup manet-mutex-tests
 * Nodes on an ideal channel that request by hand, and their further lives.
 */
class MutexRestartTestCase : public MutexTestCase
{
  public:
    /**
     * @param protocol its name
     * @param name what is expected
     */
    MutexRestartTestCase(const std::string& protocol, const std::string& name)
        : MutexTestCase(protocol + ": " + name),
          m_protocol(protocol)
    {
    }

  protected:
    /// @param object set to the protocol, its requests made by hand @tparam T helper or application
    template <typename T>
    void Configure(T& object) const
    {
        object.SetAttribute("Automatic", BooleanValue(false));
        object.SetAttribute("K", UintegerValue(2));
    }

    /// Makes a network on which everybody hears everybody. @param count nodes
    void Make(uint32_t count)
    {
        helper = MutexHelper(m_protocol);
        Configure(helper);
        MakeIdeal(count);
        Install();
    }

    /**
     * Installs a further life of a node.
     * @param node which
     * @param life its number
     * @param start when it begins
     * @returns the application
     */
    Ptr<MutexApplication> Restart(uint32_t node, uint16_t life, Time start)
    {
        auto next = CreateObject<MutexApplication>();
        Configure(*next);
        next->SetAttribute("Protocol", StringValue(m_protocol));
        next->SetAttribute("Id", UintegerValue(node));
        next->SetAttribute("Population", UintegerValue(nodes.GetN()));
        next->SetAttribute("Life", UintegerValue(life));
        next->SetStartTime(start - Simulator::Now());
        nodes.Get(node)->AddApplication(next);
        return next;
    }

    /// @param node which @returns a demand that agrees with that of no other node
    MutexDemand Alone(uint32_t node) const
    {
        MutexDemand demand;
        if (m_protocol == "gme")
        {
            demand.kind = MutexDemand::GROUP;
            demand.resource = node;
        }
        if (m_protocol == "hk")
        {
            demand.kind = MutexDemand::UNITS;
            demand.units = 2;
        }
        return demand;
    }

    /// Expects that a monitor saw nothing wrong.
    void ExpectNoViolation()
    {
        NS_TEST_EXPECT_MSG_EQ(monitor->GetViolations(), 0, monitor->GetFirstViolation());
    }

    std::string m_protocol; //!< its name
};

/**
 * @ingroup manet-mutex-tests
 * Node 0, which made the token, restarts while another node is inside with it.
 */
class MutexFounderTestCase : public MutexRestartTestCase
{
  public:
    /// @param protocol its name
    explicit MutexFounderTestCase(const std::string& protocol)
        : MutexRestartTestCase(protocol, "node 0 restarts while node 1 is inside")
    {
    }

  private:
    void DoRun() override
    {
        Make(2);
        applications.Get(0)->SetStopTime(Seconds(7));
        auto second = Restart(0, 1, Seconds(8));
        monitor->WatchRestart(second);
        RunUntil(Seconds(5));
        App(1).Request(Alone(1));
        RunUntil(Seconds(8.1));
        NS_TEST_EXPECT_MSG_EQ(App(1).GetState(), MutexApplication::INSIDE, "node 1");
        second->Request(Alone(0));
        RunUntil(Seconds(20));
        NS_TEST_EXPECT_MSG_EQ(second->GetState(), MutexApplication::WAITING, "node 0, meanwhile");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetInside(), 1, "inside");
        App(1).Release();
        RunUntil(Seconds(25));
        NS_TEST_EXPECT_MSG_EQ(second->GetState(), MutexApplication::INSIDE, "node 0, afterwards");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetLostTokens(), 0, "tokens lost");
        ExpectNoViolation();
    }
};

/**
 * @ingroup manet-mutex-tests
 * Node 0 stops with the token. It is lost; the next life of node 0 does not make another one.
 */
class MutexLostTokenTestCase : public MutexRestartTestCase
{
  public:
    /**
     * @param protocol its name
     * @param inside whether it stops inside
     */
    MutexLostTokenTestCase(const std::string& protocol, bool inside)
        : MutexRestartTestCase(protocol,
                               std::string("the token is lost with node 0") +
                                   (inside ? ", which is inside" : "")),
          m_inside(inside)
    {
    }

  private:
    void DoRun() override
    {
        Make(3);
        applications.Get(0)->SetStopTime(Seconds(7));
        auto second = Restart(0, 1, Seconds(8));
        monitor->WatchRestart(second);
        diary.Watch(ApplicationContainer(second));
        RunUntil(Seconds(5));
        if (m_inside)
        {
            App(0).Request(Alone(0));
        }
        RunUntil(Seconds(7.5));
        const auto entries = monitor->GetEntries();
        NS_TEST_EXPECT_MSG_EQ(entries, (m_inside ? 1 : 0), "entries before");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetInside(), 0, "a node that stopped is not inside");
        App(1).Request(Alone(1));
        RunUntil(Seconds(15));
        second->Request(Alone(0));
        App(2).Request(Alone(2));
        RunUntil(Seconds(30));
        NS_TEST_EXPECT_MSG_EQ(monitor->GetEntries(), entries, "entries without a token");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetWaiting(), 3, "who waits");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetLostTokens(), 1, "tokens lost");
        NS_TEST_EXPECT_MSG_EQ(diary.At("TokenMoved", 0).size(), 1, "the token was made once");
        ExpectNoViolation();
    }

    bool m_inside; //!< whether it stops inside
};

/**
 * @ingroup manet-mutex-tests
 * Another node restarts, at once and after a while: everybody is served, and nothing is wrong.
 */
class MutexOtherNodeTestCase : public MutexRestartTestCase
{
  public:
    /// @param protocol its name
    explicit MutexOtherNodeTestCase(const std::string& protocol)
        : MutexRestartTestCase(protocol, "node 1 restarts twice")
    {
    }

  private:
    void DoRun() override
    {
        Make(3);
        applications.Get(1)->SetStopTime(Seconds(5));
        auto second = Restart(1, 1, Seconds(5.01));
        second->SetStopTime(Seconds(30));
        auto third = Restart(1, 2, Seconds(35));
        for (const auto& next : {second, third})
        {
            monitor->WatchRestart(next);
        }
        RunUntil(Seconds(12));
        Serve(&App(0));
        Serve(PeekPointer(second));
        Serve(&App(2));
        RunUntil(Seconds(45));
        Serve(PeekPointer(third));
        Serve(&App(0));
        Serve(&App(2));
        NS_TEST_EXPECT_MSG_EQ(monitor->GetLinks().size(), 3, "links");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetEntriesByNode().at(1), 2, "entries of node 1");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetLostTokens(), 0, "tokens lost");
        ExpectNoViolation();
    }

    /// Lets a node in and out. @param application the node's
    void Serve(MutexApplication* application)
    {
        application->Request(Alone(application->GetId()));
        RunUntil(Simulator::Now() + Seconds(2));
        NS_TEST_EXPECT_MSG_EQ(application->GetState(),
                              MutexApplication::INSIDE,
                              "node " << application->GetId());
        application->Release();
        RunUntil(Simulator::Now() + Seconds(1));
    }
};

/**
 * @ingroup manet-mutex-tests
 * Under a local protocol a node stops inside. Its neighbour enters when their link has closed, and
 * not before; the next life of the node is not inside.
 */
class MutexStopInsideTestCase : public MutexRestartTestCase
{
  public:
    /// @param protocol its name
    explicit MutexStopInsideTestCase(const std::string& protocol)
        : MutexRestartTestCase(protocol, "a node stops inside")
    {
    }

  private:
    void DoRun() override
    {
        Make(2);
        applications.Get(1)->SetStopTime(Seconds(7));
        auto second = Restart(1, 1, Seconds(20));
        monitor->WatchRestart(second);
        RunUntil(Seconds(5));
        App(1).Request();
        RunUntil(Seconds(6));
        NS_TEST_EXPECT_MSG_EQ(App(1).GetState(), MutexApplication::INSIDE, "node 1");
        App(0).Request();
        RunUntil(Seconds(7.1));
        NS_TEST_EXPECT_MSG_EQ(App(0).GetState(), MutexApplication::WAITING, "before it is missed");
        RunUntil(Seconds(15));
        NS_TEST_ASSERT_MSG_EQ(diary.At("Enter", 0).size(), 1, "entries of node 0");
        NS_TEST_ASSERT_MSG_EQ(diary.At("LinkDown", 0).size(), 1, "links that node 0 closed");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(diary.At("Enter", 0).front().time,
                                    diary.At("LinkDown", 0).front().time,
                                    "not before");
        RunUntil(Seconds(30));
        second->Request();
        RunUntil(Seconds(32));
        NS_TEST_EXPECT_MSG_EQ(second->GetState(), MutexApplication::WAITING, "node 1 again");
        App(0).Release();
        RunUntil(Seconds(34));
        NS_TEST_EXPECT_MSG_EQ(second->GetState(), MutexApplication::INSIDE, "in its turn");
        ExpectNoViolation();
    }
};

/**
 * @ingroup manet-mutex-tests
 * What a monitor refuses to watch as a further life, and lives that overlap.
 */
class MutexWatchRestartTestCase : public MutexRestartTestCase
{
  public:
    MutexWatchRestartTestCase()
        : MutexRestartTestCase("rl", "lives come one after the other")
    {
    }

  private:
    void DoRun() override
    {
        Make(2);
        const auto expect = [this](Ptr<MutexApplication> next, const std::string& cause) {
            const auto error = ErrorOf([&] { monitor->WatchRestart(next); });
            NS_TEST_EXPECT_MSG_EQ(Contains(error, cause), true, error);
        };
        auto same = CreateObject<MutexApplication>();
        same->SetAttribute("Id", UintegerValue(1));
        same->SetAttribute("Population", UintegerValue(2));
        expect(same, "larger Life");
        same->SetAttribute("Life", UintegerValue(1));
        same->SetAttribute("Population", UintegerValue(3));
        expect(same, "another run");
        expect(nullptr, "no application");
        const auto error =
            ErrorOf([&] { CreateObject<MutexMonitor>()->WatchRestart(same); });
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "by Watch"), true, error);

        // Life 1 starts while life 0 runs.
        auto second = Restart(1, 1, Seconds(5));
        monitor->WatchRestart(second);
        RunUntil(Seconds(6));
        NS_TEST_EXPECT_MSG_GT(monitor->GetViolations(), 0, "violations");
        NS_TEST_EXPECT_MSG_EQ(Contains(monitor->GetFirstViolation(), "stop its earlier"),
                              true,
                              monitor->GetFirstViolation());
        auto third = Restart(1, 2, Seconds(7));
        RunUntil(Seconds(8));
        expect(third, "runs already");
    }
};

/**
 * @ingroup manet-mutex-tests
 * Nodes that stop and start again.
 */
class MutexRestartTestSuite : public TestSuite
{
  public:
    MutexRestartTestSuite()
        : TestSuite("manet-mutex-restart", Type::UNIT)
    {
        for (const auto protocol : {"rl", "gme", "hk"})
        {
            AddTestCase(new MutexFounderTestCase(protocol));
            AddTestCase(new MutexLostTokenTestCase(protocol, false));
            AddTestCase(new MutexLostTokenTestCase(protocol, true));
        }
        for (const auto protocol : {"rl", "gme", "hk", "lme1a", "lme1b", "lme2"})
        {
            AddTestCase(new MutexOtherNodeTestCase(protocol));
        }
        for (const auto protocol : {"lme1a", "lme1b", "lme2"})
        {
            AddTestCase(new MutexStopInsideTestCase(protocol));
        }
        AddTestCase(new MutexWatchRestartTestCase);
    }
} g_mutexRestartTestSuite; //!< registers itself

} // namespace
