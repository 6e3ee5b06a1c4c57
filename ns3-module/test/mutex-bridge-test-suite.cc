/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What goes wrong in the core, or is asked of it wrongly, is a MutexError that says node, time and
// cause. The program goes on.
#include "mutex-test-puppet.h"
#include "mutex-test-world.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/mobility-helper.h"
#include "ns3/packet.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-helper.h"
#include "ns3/yans-wifi-helper.h"

#include <iostream>
#include <sstream>

using namespace ns3;

namespace
{

/**
 * @ingroup manet-mutex-tests
 * A protocol that the core has not, or cannot run here.
 */
class MutexProtocolTestCase : public MutexTestCase
{
  public:
    /**
     * @param protocol its name
     * @param cause what the error says
     */
    MutexProtocolTestCase(const std::string& protocol, const std::string& cause)
        : MutexTestCase("protocol " + protocol + " is refused"),
          m_protocol(protocol),
          m_cause(cause)
    {
    }

  private:
    void DoRun() override
    {
        helper = MutexHelper(m_protocol);
        MakeIdeal(2);
        const auto error = ErrorOf([this] { helper.Install(nodes); });
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "node 0: "), true, error);
        NS_TEST_EXPECT_MSG_EQ(Contains(error, m_cause), true, error);
    }

    std::string m_protocol; //!< its name
    std::string m_cause;    //!< what the error says
};

/**
 * @ingroup manet-mutex-tests
 * Names are 0 to Population - 1.
 */
class MutexIdTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        MakeIdeal(2);
        applications = helper.Install(nodes);
        App(1).SetAttribute("Id", UintegerValue(2));
        const auto error = RunToError(Seconds(1));
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "node 2 of 2"), true, error);
    }
};

/**
 * @ingroup manet-mutex-tests
 * A population that nobody simulates is refused before memory is asked for.
 */
class MutexPopulationTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        MakeIdeal(2);
        applications = helper.Install(nodes);
        App(1).SetAttribute("Population", UintegerValue(4294967295));
        auto error = ErrorOf([this] { App(1).MakeChecker(); });
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "use at most 1048576"), true, error);
        error = ErrorOf([this] { App(1).Validate(); });
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "use at most 1048576"), true, error);
        error = RunToError(Seconds(1));
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "use at most 1048576"), true, error);
    }
};

/**
 * @ingroup manet-mutex-tests
 * Frames of a node that does not exist are dropped and counted.
 */
class MutexUnknownNodeTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        // 0 -- 1, and a puppet that says it is 7
        helper.SetAttribute("Automatic", BooleanValue(false));
        MakeIdeal(3);
        applications = helper.Install(NodeContainer(nodes.Get(0), nodes.Get(1)));
        diary.Watch(applications);
        monitor = CreateObject<MutexMonitor>();
        monitor->Watch(applications);
        MutexTestPuppet puppet(devices.Get(2), 7, 0);
        puppet.Start();
        RunUntil(Seconds(10));
        NS_TEST_EXPECT_MSG_EQ(diary.Count("LinkUp"), 2, "the link of 0 and 1, and no other");
        for (uint32_t node : {0, 1})
        {
            NS_TEST_EXPECT_MSG_EQ(App(node).GetUnknownPeers(), 20, "hellos of the puppet");
        }
        NS_TEST_EXPECT_MSG_EQ(monitor->GetUnknownPeers(), 40, "at both");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetViolations(), 0, monitor->GetFirstViolation());
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(monitor->GetUnknownPeers(), 40, "after the end");
    }
};

/**
 * @ingroup manet-mutex-tests
 * Nothing to send with, nobody to install on.
 */
class MutexNothingTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        auto error = ErrorOf([this] { helper.Install(nodes); });
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "no nodes"), true, error);

        nodes.Create(1);
        applications = helper.Install(nodes);
        error = RunToError(Seconds(1));
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "no device"), true, error);
    }
};

/**
 * @ingroup manet-mutex-tests
 * A device that talks through an access point.
 */
class MutexStationTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        nodes.Create(1);
        MobilityHelper().Install(nodes);
        YansWifiPhyHelper phy;
        phy.SetChannel(YansWifiChannelHelper::Default().Create());
        WifiMacHelper mac;
        mac.SetType("ns3::StaWifiMac");
        WifiHelper().Install(phy, mac, nodes);
        applications = helper.Install(nodes);
        const auto error = RunToError(Seconds(1));
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "ns3::AdhocWifiMac"), true, error);
    }
};

/**
 * @ingroup manet-mutex-tests
 * A panic in mid-run.
 */
class MutexPanicTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        // 0 -- 1
        MakeIdeal(2);
        Install();
        ScheduleThrowing(Seconds(2.5), [this] { App(1).Panic(); });
        auto error = RunToError(Seconds(10));
        NS_TEST_EXPECT_MSG_EQ(Simulator::Now(), Seconds(2.5), "time of the panic");
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "node 1 at +2.5s, panic: "), true, error);
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "the core panicked"), true, error);
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "on demand"), true, error);

        // What is left of that node says so, whatever is asked of it.
        error = ErrorOf([this] { App(1).Request(); });
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "node 1 at +2.5s, request: "), true, error);
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "panicked earlier"), true, error);
        error = RunToError(Seconds(10));
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "panicked earlier"), true, error);

        // The other one is none the worse.
        error = ErrorOf([this] { App(0).Request(); });
        NS_TEST_EXPECT_MSG_EQ(error, "", "the other node");

        // Nor is the next run in this process.
        DoTeardown();
        diary.events.clear();
        helper.SetAttribute("ThinkTime", StringValue("ns3::ConstantRandomVariable[Constant=1]"));
        MakeIdeal(2);
        Install();
        RunUntil(Seconds(20));
        ExpectExclusionAndServiceSoFar();
    }

    /// As ExpectExclusionAndService; one may wait, since requests go on.
    void ExpectExclusionAndServiceSoFar()
    {
        NS_TEST_EXPECT_MSG_EQ(monitor->GetViolations(), 0, monitor->GetFirstViolation());
        NS_TEST_EXPECT_MSG_GT(diary.At("Enter", 0).size(), 5, "entries of node 0");
        NS_TEST_EXPECT_MSG_GT(diary.At("Enter", 1).size(), 5, "entries of node 1");
    }
};

/**
 * @ingroup manet-mutex-tests
 * Requests and releases out of turn.
 */
class MutexMisuseTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        // 0 -- 1, and 0 has the token
        helper.SetAttribute("Automatic", BooleanValue(false));
        MakeIdeal(2);
        Install();
        applications.Start(Seconds(1));
        applications.Stop(Seconds(9));
        const auto expect = [this](const std::function<void()>& act, const std::string& cause) {
            const auto error = ErrorOf(act);
            NS_TEST_EXPECT_MSG_EQ(Contains(error, cause), true, error);
        };
        const auto request = [this] { App(1).Request(); };
        const auto release = [this] { App(1).Release(); };

        expect(request, "node 1 does not run");
        expect(release, "node 1 does not run");
        RunUntil(Seconds(5));
        expect(release, "node 1 at +5s, release: ");
        expect(release, "released while not inside");
        request();
        NS_TEST_EXPECT_MSG_EQ(App(1).GetState(), MutexApplication::WAITING, "state");
        expect(request, "requested while waiting or inside");
        expect(release, "released while not inside");
        RunUntil(Seconds(6));
        NS_TEST_EXPECT_MSG_EQ(App(1).GetState(), MutexApplication::INSIDE, "state");
        expect(request, "requested while waiting or inside");
        release();
        NS_TEST_EXPECT_MSG_EQ(App(1).GetState(), MutexApplication::IDLE, "state");
        RunUntil(Seconds(10));
        expect(request, "node 1 does not run");
        expect(release, "node 1 does not run");

        // What was refused left no trace.
        NS_TEST_EXPECT_MSG_EQ(diary.Count("Request"), 1, "requests");
        NS_TEST_EXPECT_MSG_EQ(diary.Count("Release"), 1, "releases");
    }
};

/**
 * @ingroup manet-mutex-tests
 * A demand that the protocol has no notion of.
 */
class MutexDemandTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        helper.SetAttribute("Automatic", BooleanValue(false));
        MakeIdeal(1);
        Install();
        RunUntil(Seconds(1));
        MutexDemand demand;
        demand.kind = MutexDemand::GROUP;
        demand.resource = 4;
        auto error = ErrorOf([&] { App(0).Request(demand); });
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "rl cannot serve a demand for"), true, error);
        NS_TEST_EXPECT_MSG_EQ(App(0).GetState(), MutexApplication::IDLE, "state");
        error = ErrorOf([this] { App(0).Request(); });
        NS_TEST_EXPECT_MSG_EQ(error, "", "a demand to be alone");
        NS_TEST_EXPECT_MSG_EQ(App(0).GetState(), MutexApplication::INSIDE, "state");
    }
};

/**
 * @ingroup manet-mutex-tests
 * A sink asks for what cannot be, once, while a node's own timer is being served.
 */
class MutexSinkMisuseTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        // 0, alone: nothing but its own timer wakes it
        helper.SetAttribute("Automatic", BooleanValue(false));
        MakeIdeal(1);
        Install();
        App(0).TraceConnectWithoutContext("FrameTx",
                                          MakeCallback(&MutexSinkMisuseTestCase::Sink, this));
        const auto error = RunToError(Seconds(10));
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "released while not inside"), true, error);
        const auto before = diary.Count("FrameTx");

        RunUntil(Seconds(20));
        NS_TEST_EXPECT_MSG_GT(diary.Count("FrameTx"), before + 10, "hellos afterwards");
    }

    void Sink(uint32_t, Ptr<const Packet>, const std::string& kind)
    {
        if (!m_done && kind == "hello" && Simulator::Now() > Seconds(3))
        {
            m_done = true;
            App(0).Release();
        }
    }

    bool m_done{false}; //!< once
};

/**
 * @ingroup manet-mutex-tests
 * A peer breaks what everything rests on: it sends another's height.
 */
class MutexBrokenTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        auto error = Lie();
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "node 1 at +4."), true, error);
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "a height that is not its own"), true, error);
        NS_TEST_EXPECT_MSG_EQ(m_broken, 0, "sinks called");
        m_listen = true;
        error = Lie();
        NS_TEST_EXPECT_MSG_EQ(error, "", "who listens is told");
        NS_TEST_EXPECT_MSG_EQ(m_broken, 1, "sinks called");
    }

    /// @returns the error that follows
    std::string Lie()
    {
        // 0, a puppet -- 1
        helper.SetAttribute("Automatic", BooleanValue(false));
        MakeIdeal(2);
        applications = helper.Install(nodes.Get(1));
        App(0).SetAttribute("Population", UintegerValue(2));
        App(0).SetAttribute("Id", UintegerValue(1));
        if (m_listen)
        {
            App(0).TraceConnectWithoutContext("Broken",
                                              MakeCallback(&MutexBrokenTestCase::Broken, this));
        }
        MutexTestPuppet puppet(devices.Get(0), 0, 1);
        puppet.Start();
        // rl Request height=(5,-12,3)
        Simulator::Schedule(Seconds(4), [&] { puppet.Say({1, 1, 1, 0x0a, 0x17, 3}); });
        const auto error = RunToError(Seconds(5));
        DoTeardown();
        return error;
    }

    void Broken(uint32_t, const std::string&)
    {
        m_broken++;
    }

    bool m_listen{false};  //!< whether Broken has a sink
    uint32_t m_broken{0};  //!< how often it was called
};

/**
 * @ingroup manet-mutex-tests
 * What the core logs reaches NS_LOG, and only if it is wanted.
 */
class MutexLogTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        const auto loud = Captured(LOG_LEVEL_WARN);
        NS_TEST_EXPECT_MSG_EQ(Contains(loud, "stays a stranger"), true, loud);
        NS_TEST_EXPECT_MSG_EQ(Contains(loud, "on demand"), true, loud);
        const auto quieter = Captured(LOG_LEVEL_ERROR);
        NS_TEST_EXPECT_MSG_EQ(Contains(quieter, "stays a stranger"), false, quieter);
        NS_TEST_EXPECT_MSG_EQ(Contains(quieter, "on demand"), true, quieter);
        const auto silent = Captured(LOG_NONE);
        NS_TEST_EXPECT_MSG_EQ(silent, "", "what nobody wants");
    }

    /**
     * Lets a node meet more neighbours than it can have, then panic.
     * @param level what is wanted
     * @returns what was logged
     */
    std::string Captured(LogLevel level)
    {
        LogComponentEnable("ManetMutexCore", level);
        std::ostringstream captured;
        auto before = std::clog.rdbuf(captured.rdbuf());
        MakeIdeal(2);
        applications = MutexHelper().Install(nodes.Get(0));
        App(0).SetAttribute("Population", UintegerValue(80));
        for (uint8_t stranger = 1; stranger < 80; ++stranger)
        {
            for (uint8_t number = 1; number < 6; ++number)
            {
                // A hello that says that it hears node 0.
                const uint8_t hello[] = {1, 1, 0, stranger, number, 1, 0, 1, 0};
                Simulator::Schedule(MilliSeconds(500 * number + stranger),
                                    [this, packet = Create<Packet>(hello, sizeof hello)] {
                                        const auto device = devices.Get(1);
                                        device->Send(packet, device->GetBroadcast(), 0x88B5);
                                    });
            }
        }
        ScheduleThrowing(Seconds(5), [this] { App(0).Panic(); });
        RunToError(Seconds(10));
        DoTeardown();
        std::clog.rdbuf(before);
        LogComponentDisable("ManetMutexCore", LOG_LEVEL_ALL);
        return captured.str();
    }
};

/**
 * @ingroup manet-mutex-tests
 * The border between ns-3 and the core.
 */
class MutexBridgeTestSuite : public TestSuite
{
  public:
    MutexBridgeTestSuite()
        : TestSuite("manet-mutex-bridge", Type::UNIT)
    {
        AddTestCase(new MutexProtocolTestCase("paxos", "unknown protocol `paxos`: use one of rl"));
        AddTestCase(new MutexIdTestCase("a name beyond the population is refused"));
        AddTestCase(new MutexPopulationTestCase("a population that is too large is refused"));
        AddTestCase(new MutexUnknownNodeTestCase("frames of unknown nodes are dropped"));
        AddTestCase(new MutexNothingTestCase("no node and no device are refused"));
        AddTestCase(new MutexStationTestCase("a station of an access point is refused"));
        AddTestCase(new MutexPanicTestCase("a panic ends in an error, not the program"));
        AddTestCase(new MutexMisuseTestCase("requests and releases out of turn are refused"));
        AddTestCase(new MutexDemandTestCase("a demand without meaning is refused"));
        AddTestCase(new MutexSinkMisuseTestCase("a node survives what a sink asks wrongly"));
        AddTestCase(new MutexBrokenTestCase("a broken promise is told, or else an error"));
        AddTestCase(new MutexLogTestCase("the core's log reaches NS_LOG"));
    }
};

MutexBridgeTestSuite g_mutexBridgeTestSuite; //!< registers itself

} // namespace
