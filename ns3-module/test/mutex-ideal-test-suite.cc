/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Devices that are no radios: no power, no outcome, a fixed delay.
#include "mutex-test-world.h"

#include "ns3/boolean.h"
#include "ns3/pointer.h"
#include "ns3/simple-net-device-helper.h"
#include "ns3/string.h"

#include <algorithm>

using namespace ns3;

namespace
{

/**
 * @ingroup manet-mutex-tests
 * Messages take the channel's time, neither more nor less, and all arrive.
 */
class MutexDelayTestCase : public MutexTestCase
{
  public:
    /// @param delay the channel's @param sharing the attribute
    MutexDelayTestCase(Time delay, bool sharing)
        : MutexTestCase("messages take " + std::to_string(delay.GetMicroSeconds()) + " us, " +
                        (sharing ? "with" : "without") + " sharing"),
          m_delay(delay),
          m_sharing(sharing)
    {
    }

  private:
    void DoRun() override
    {
        // 0 -- 1
        // |    |
        // 3 -- 2
        helper.SetAttribute("ThinkTime", StringValue("ns3::ExponentialRandomVariable[Mean=1]"));
        helper.SetAttribute("FirstRequest", TimeValue(Seconds(3)));
        helper.SetAttribute("LastRequest", TimeValue(Seconds(30)));
        helper.SetAttribute("Sharing", BooleanValue(m_sharing));
        MakeIdeal(4, m_delay);
        Separate(0, 2);
        Separate(1, 3);
        Install();
        RunUntil(Seconds(60));
        ExpectExclusionAndService();
        NS_TEST_EXPECT_MSG_EQ(monitor->GetLinks().size(), 4, "links");
        NS_TEST_EXPECT_MSG_EQ(diary.Count("Motion"), 0, "motions of nodes that are nowhere");

        // Links are in order and loss-free: the n-th message received is the n-th sent.
        NS_TEST_ASSERT_MSG_GT(diary.Count("Rx"), 50, "messages");
        NS_TEST_EXPECT_MSG_EQ(diary.Count("Tx"), diary.Count("Rx"), "messages");
        for (uint32_t from = 0; from < 4; ++from)
        {
            for (uint32_t to = 0; to < 4; ++to)
            {
                const auto sent = Between("Tx", from, to);
                const auto received = Between("Rx", to, from);
                NS_TEST_ASSERT_MSG_EQ(sent.size(), received.size(), from << " to " << to);
                for (std::size_t i = 0; i < sent.size(); ++i)
                {
                    NS_TEST_EXPECT_MSG_EQ(received[i].text, sent[i].text, "kind");
                    const auto delay = received[i].time - sent[i].time;
                    if (m_sharing && sent[i].time < Seconds(3))
                    {
                        // On a new link some wait for the next hello.
                        NS_TEST_EXPECT_MSG_LT(delay, m_delay + MilliSeconds(551), "delay");
                        continue;
                    }
                    NS_TEST_EXPECT_MSG_EQ(delay, m_delay, "delay");
                }
            }
        }
    }

    /// @param what Tx or Rx @param node where @param peer the other @returns the messages
    std::vector<MutexTestEvent> Between(const std::string& what, uint32_t node, uint32_t peer)
    {
        auto found = diary.At(what, node);
        found.erase(std::remove_if(found.begin(),
                                   found.end(),
                                   [&](const auto& event) { return event.peer != peer; }),
                    found.end());
        return found;
    }

    Time m_delay;   //!< the channel's
    bool m_sharing; //!< the attribute
};

/**
 * @ingroup manet-mutex-tests
 * A wait that can be computed: a request over each hop, the token back over each hop.
 */
class MutexWaitTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        // 0 -- 1 -- 2 -- 3, 10 ms each, and 0 has the token
        helper.SetAttribute("Automatic", BooleanValue(false));
        MakeIdeal(4, MilliSeconds(10));
        Separate(0, 2);
        Separate(0, 3);
        Separate(1, 3);
        Install();
        Simulator::Schedule(Seconds(10), [this] { App(3).Request(); });
        Simulator::Schedule(Seconds(20), [this] { App(3).Release(); });
        RunUntil(Seconds(30));
        NS_TEST_ASSERT_MSG_EQ(monitor->GetEntries(), 1, "entries");
        NS_TEST_EXPECT_MSG_EQ(diary.All("Enter")[0].span, MilliSeconds(60), "wait");
        NS_TEST_EXPECT_MSG_EQ(diary.All("Release")[0].span, Seconds(10) - MilliSeconds(60), "stay");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetMessages().at("Request"), 3, "requests");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetMessages().at("Token"), 3, "tokens");
        // No radio, no figures of one.
        NS_TEST_EXPECT_MSG_EQ(monitor->GetTransmissions(), 0, "transmissions");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetAirtime(), Time(0), "airtime");
    }
};

/**
 * @ingroup manet-mutex-tests
 * A node with two devices uses the one that it is told to.
 */
class MutexDeviceTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        // 0    1 by their first devices, which are deaf; 0 -- 1 by their second ones
        helper.SetAttribute("Automatic", BooleanValue(false));
        MakeIdeal(2);
        Separate(0, 1);
        const auto seconds = SimpleNetDeviceHelper().Install(nodes);
        Install();
        RunUntil(Seconds(10));
        NS_TEST_EXPECT_MSG_EQ(diary.Count("LinkUp"), 0, "ends up by the first devices");
        DoTeardown();

        MakeIdeal(2);
        Separate(0, 1);
        const auto others = SimpleNetDeviceHelper().Install(nodes);
        Install();
        App(0).SetAttribute("Device", PointerValue(others.Get(0)));
        App(1).SetAttribute("Device", PointerValue(others.Get(1)));
        RunUntil(Seconds(10));
        NS_TEST_EXPECT_MSG_EQ(diary.Count("LinkUp"), 2, "ends up by the second devices");
    }
};

/**
 * @ingroup manet-mutex-tests
 * Ideal channels.
 */
class MutexIdealTestSuite : public TestSuite
{
  public:
    MutexIdealTestSuite()
        : TestSuite("manet-mutex-ideal", Type::UNIT)
    {
        for (const bool sharing : {false, true})
        {
            AddTestCase(new MutexDelayTestCase(MilliSeconds(3), sharing));
            AddTestCase(new MutexDelayTestCase(Time(0), sharing));
        }
        AddTestCase(new MutexWaitTestCase("a wait is the sum of its hops"));
        AddTestCase(new MutexDeviceTestCase("a node uses the device that it is given"));
    }
};

MutexIdealTestSuite g_mutexIdealTestSuite; //!< registers itself

} // namespace
