/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Links over 802.11: when they come up, when they close and why, as both ends see it.
#include "mutex-test-world.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/mobility-model.h"
#include "ns3/nstime.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-phy.h"

#include <cmath>

using namespace ns3;

namespace
{

/**
 * @ingroup manet-mutex-tests
 * Two nodes on a line.
 */
class MutexPairTestCase : public MutexTestCase
{
  protected:
    using MutexTestCase::MutexTestCase;

    /// Node 0 at 0, node 1 away from it. @param distance how far
    void Pair(double distance)
    {
        MakeWifi(Line(2, distance));
        Install();
    }

    /// @returns how far the nodes are from each other
    double Distance() const
    {
        return nodes.Get(0)->GetObject<MobilityModel>()->GetDistanceFrom(
            nodes.Get(1)->GetObject<MobilityModel>());
    }

    /// Expects one link, up at both ends, and two roles. @returns the time of the later end
    Time ExpectUp()
    {
        const auto ups = diary.All("LinkUp");
        NS_TEST_EXPECT_MSG_EQ(ups.size(), 2, "ends up");
        if (ups.size() != 2)
        {
            return Time(0);
        }
        NS_TEST_EXPECT_MSG_EQ(ups[0].node, ups[1].peer, "ends");
        NS_TEST_EXPECT_MSG_EQ(ups[1].node, ups[0].peer, "ends");
        NS_TEST_EXPECT_MSG_NE(ups[0].text, ups[1].text, "roles");
        return ups[1].time;
    }
};

/**
 * @ingroup manet-mutex-tests
 * In range and at rest.
 */
class MutexLinkUpTestCase : public MutexPairTestCase
{
    using MutexPairTestCase::MutexPairTestCase;

    void DoRun() override
    {
        // 0 -- 50 m -- 1
        Pair(50);
        RunUntil(Seconds(20));
        // Three hellos, half a second apart, then the handshake.
        NS_TEST_EXPECT_MSG_LT(ExpectUp(), Seconds(4), "time of the link");
        NS_TEST_EXPECT_MSG_EQ(diary.Count("LinkDown"), 0, "ends down");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetLinks().size(), 1, "links");
    }
};

/**
 * @ingroup manet-mutex-tests
 * Who comes is the moving one, whatever its name.
 */
class MutexRolesTestCase : public MutexPairTestCase
{
  public:
    /// @param comer who comes to the other
    explicit MutexRolesTestCase(uint32_t comer)
        : MutexPairTestCase("node " + std::to_string(comer) + " comes, and is the moving end"),
          m_comer(comer)
    {
    }

  private:
    void DoRun() override
    {
        // 0            <-- 1      or      0 -->            1
        Pair(120);
        Move(m_comer, Vector(m_comer == 0 ? 4 : -4, 0, 0));
        Simulator::Schedule(Seconds(20), [this] { Move(m_comer, Vector()); });
        RunUntil(Seconds(30));
        ExpectUp();
        NS_TEST_ASSERT_MSG_EQ(diary.At("LinkUp", m_comer).size(), 1, "ends up");
        NS_TEST_EXPECT_MSG_EQ(diary.At("LinkUp", m_comer)[0].text, "moving", "role");
        NS_TEST_EXPECT_MSG_EQ(diary.At("LinkUp", 1 - m_comer)[0].text, "static", "role");
    }

    uint32_t m_comer; //!< who comes to the other
};

/**
 * @ingroup manet-mutex-tests
 * Walking apart: the link closes while the radio still works.
 */
class MutexWeakTestCase : public MutexPairTestCase
{
  public:
    /// @param sharing the attribute @param within the time from one end to the other
    MutexWeakTestCase(bool sharing, Time within)
        : MutexPairTestCase(std::string("walking apart, the link closes in time, ") +
                            (sharing ? "with" : "without") + " sharing"),
          m_sharing(sharing),
          m_within(within)
    {
    }

  private:
    void DoRun() override
    {
        // 0 -- 50 m -- 1 -->
        helper.SetAttribute("Sharing", BooleanValue(m_sharing));
        Pair(50);
        App(0).TraceConnectWithoutContext("LinkDown", MakeCallback(&MutexWeakTestCase::Down, this));
        App(1).TraceConnectWithoutContext("LinkDown", MakeCallback(&MutexWeakTestCase::Down, this));
        Simulator::Schedule(Seconds(10), [this] { Move(1, Vector(2, 0, 0)); });
        RunUntil(Seconds(60));
        ExpectUp();
        const auto downs = diary.All("LinkDown");
        NS_TEST_ASSERT_MSG_EQ(downs.size(), 2, "ends down");
        NS_TEST_EXPECT_MSG_NE(downs[0].node, downs[1].node, "ends");
        NS_TEST_EXPECT_MSG_EQ(downs[0].text, "weak", "cause at the end that closes");
        NS_TEST_EXPECT_MSG_EQ(downs[1].text, "left", "cause at the end that is told");
        // Told over the radio, not by silence.
        NS_TEST_EXPECT_MSG_LT(downs[1].time - downs[0].time, m_within, "time between");
        for (const auto distance : m_distances)
        {
            NS_TEST_EXPECT_MSG_GT(distance, KEEP - 1, "distance");
            NS_TEST_EXPECT_MSG_LT(distance, RANGE - 5, "distance");
        }
    }

    void Down(uint32_t, uint32_t, const std::string&)
    {
        m_distances.push_back(Distance());
    }

    bool m_sharing;                  //!< the attribute
    Time m_within;                   //!< from one end to the other
    std::vector<double> m_distances; //!< when an end closed
};

/**
 * @ingroup manet-mutex-tests
 * Frames arrive, but too weak: received power counts, not reception.
 */
class MutexMarginTestCase : public MutexPairTestCase
{
  public:
    /**
     * @param distance between the nodes
     * @param margin and hysteresis, in dB; less than 0: the defaults
     * @param heard whether hellos arrive
     * @param up whether there is a link
     */
    MutexMarginTestCase(double distance, double margin, bool heard, bool up)
        : MutexPairTestCase("at " + std::to_string(std::lround(distance)) + " m " +
                            (margin < 0 ? "with" : "without") + " margin there is " +
                            (up ? "a" : "no") + " link"),
          m_distance(distance),
          m_margin(margin),
          m_heard(heard),
          m_up(up)
    {
    }

  private:
    void DoRun() override
    {
        if (m_margin >= 0)
        {
            helper.SetAttribute("Margin", DoubleValue(m_margin));
            helper.SetAttribute("Hysteresis", DoubleValue(m_margin));
        }
        // 0 -- 1
        Pair(m_distance);
        DynamicCast<WifiNetDevice>(devices.Get(0))
            ->GetPhy()
            ->TraceConnectWithoutContext("PhyRxEnd",
                                         MakeCallback(&MutexMarginTestCase::Received, this));
        RunUntil(Seconds(20));
        NS_TEST_EXPECT_MSG_EQ((m_received > 30), m_heard, "frames received: " << m_received);
        NS_TEST_EXPECT_MSG_EQ(diary.Count("LinkUp"), (m_up ? 2 : 0), "ends up");
    }

    void Received(Ptr<const Packet>)
    {
        m_received++;
    }

    double m_distance;       //!< between the nodes
    double m_margin;         //!< and hysteresis
    bool m_heard;            //!< whether hellos arrive
    bool m_up;               //!< whether there is a link
    uint32_t m_received{0};  //!< by node 0's radio
};

/**
 * @ingroup manet-mutex-tests
 * A node falls silent.
 */
class MutexSilentTestCase : public MutexPairTestCase
{
    using MutexPairTestCase::MutexPairTestCase;

    void DoRun() override
    {
        // 0 -- 20 m -- 1, which stops; from farther away misses would count as weak power first
        Pair(20);
        applications.Get(1)->SetStopTime(Seconds(10));
        RunUntil(Seconds(20));
        const auto downs = diary.All("LinkDown");
        NS_TEST_ASSERT_MSG_EQ(downs.size(), 1, "ends down");
        NS_TEST_EXPECT_MSG_EQ(downs[0].node, 0, "who is left");
        NS_TEST_EXPECT_MSG_EQ(downs[0].text, "silent", "cause");
        // 3.5 intervals after the last hello.
        NS_TEST_EXPECT_MSG_GT(downs[0].time, Seconds(11), "time");
        NS_TEST_EXPECT_MSG_LT(downs[0].time, Seconds(12), "time");
    }
};

/**
 * @ingroup manet-mutex-tests
 * A link breaks at once, without warning, and forms again.
 */
class MutexFlapTestCase : public MutexPairTestCase
{
    using MutexPairTestCase::MutexPairTestCase;

    void DoRun() override
    {
        // 0 -- 20 m -- 1, gone from 10 s to 15 s
        Pair(20);
        Simulator::Schedule(Seconds(10), [this] { Teleport(1, Vector(500, 0, 0)); });
        Simulator::Schedule(Seconds(15), [this] { Teleport(1, Vector(20, 0, 0)); });
        RunUntil(Seconds(30));
        for (uint32_t node : {0, 1})
        {
            const auto ups = diary.At("LinkUp", node);
            const auto downs = diary.At("LinkDown", node);
            NS_TEST_ASSERT_MSG_EQ(ups.size(), 2, "link ups at " << node);
            NS_TEST_ASSERT_MSG_EQ(downs.size(), 1, "link downs at " << node);
            NS_TEST_EXPECT_MSG_EQ(downs[0].text, "silent", "cause at " << node);
            NS_TEST_EXPECT_MSG_LT(downs[0].time, Seconds(12), "down at " << node);
            NS_TEST_EXPECT_MSG_GT(ups[1].time, Seconds(15), "up again at " << node);
            NS_TEST_EXPECT_MSG_LT(ups[1].time, Seconds(19), "up again at " << node);
        }
        NS_TEST_EXPECT_MSG_EQ(monitor->GetCauses().at("silent"), 2, "causes counted");
    }
};

/**
 * @ingroup manet-mutex-tests
 * The radio says that a message got through: the next one follows at once.
 */
class MutexAckedTestCase : public MutexPairTestCase
{
    using MutexPairTestCase::MutexPairTestCase;

    void DoRun() override
    {
        // 0 -- 50 m -- 1, which waits: with the link it has two messages to send
        helper.SetAttribute("Sharing", BooleanValue(false));
        helper.SetAttribute("Automatic", BooleanValue(false));
        Pair(50);
        Simulator::Schedule(Seconds(0.1), [this] { App(1).Request(); });
        RunUntil(Seconds(10));
        const auto sent = diary.At("Tx", 1);
        const auto received = diary.At("Rx", 0);
        NS_TEST_ASSERT_MSG_EQ(sent.size(), received.size(), "messages of 1");
        uint32_t pairs = 0;
        for (std::size_t i = 1; i < sent.size(); ++i)
        {
            if (sent[i].time == sent[i - 1].time)
            {
                pairs++;
                NS_TEST_EXPECT_MSG_LT(received[i].time - received[i - 1].time,
                                      MilliSeconds(10),
                                      sent[i].text << " after " << sent[i - 1].text);
            }
        }
        NS_TEST_EXPECT_MSG_GT(pairs, 0, "messages sent at once");
        NS_TEST_EXPECT_MSG_EQ(diary.At("Enter", 1).size(), 1, "entries");
    }
};

/**
 * @ingroup manet-mutex-tests
 * The radio gave up on a message: it is sent again soon, as long as the link is there.
 */
class MutexDroppedTestCase : public MutexTornTestCase
{
    using MutexTornTestCase::MutexTornTestCase;

    void DoRun() override
    {
        // 0    1, which was there when 0 began to send it the token
        Tear(MicroSeconds(0), Vector(5000, 0, 0));
        MakeTorn();
        RunUntil(Seconds(10));
        const auto downs = diary.At("LinkDown", 0);
        NS_TEST_ASSERT_MSG_EQ(downs.size(), 1, "links of 0 lost");
        uint32_t tries = 0;
        for (const auto& event : diary.At("FrameTx", 0))
        {
            tries += event.text == "data" && event.time >= Seconds(5);
        }
        // A failure takes some 20 ms, and 10 ms later comes the next try; by itself, without
        // being told, a node tries again after 100 ms.
        const auto span = downs[0].time - Seconds(5);
        NS_TEST_EXPECT_MSG_GT(tries, span.GetMilliSeconds() / 45, "tries in " << span.As(Time::S));
        NS_TEST_EXPECT_MSG_LT(tries, span.GetMilliSeconds() / 15, "tries in " << span.As(Time::S));
    }
};

/**
 * @ingroup manet-mutex-tests
 * HelloInterval and HelloJitter.
 */
class MutexHelloTestCase : public MutexPairTestCase
{
    using MutexPairTestCase::MutexPairTestCase;

    void DoRun() override
    {
        helper.SetAttribute("HelloInterval", TimeValue(MilliSeconds(200)));
        helper.SetAttribute("HelloJitter", DoubleValue(0.25));
        helper.SetAttribute("Sharing", BooleanValue(false));
        Pair(50);
        RunUntil(Seconds(40));
        std::vector<Time> hellos;
        for (const auto& event : diary.At("FrameTx", 1))
        {
            if (event.text == "hello")
            {
                hellos.push_back(event.time);
            }
        }
        NS_TEST_ASSERT_MSG_GT(hellos.size(), 180, "hellos");
        NS_TEST_EXPECT_MSG_LT(hellos.size(), 220, "hellos");
        Time shortest = Seconds(1);
        Time longest;
        for (std::size_t i = 1; i < hellos.size(); ++i)
        {
            shortest = std::min(shortest, hellos[i] - hellos[i - 1]);
            longest = std::max(longest, hellos[i] - hellos[i - 1]);
        }
        NS_TEST_EXPECT_MSG_GT_OR_EQ(shortest, MilliSeconds(150), "shortest interval");
        NS_TEST_EXPECT_MSG_LT(shortest, MilliSeconds(170), "shortest interval");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(longest, MilliSeconds(250), "longest interval");
        NS_TEST_EXPECT_MSG_GT(longest, MilliSeconds(230), "longest interval");
    }
};

/**
 * @ingroup manet-mutex-tests
 * Links over 802.11.
 */
class MutexLinksTestSuite : public TestSuite
{
  public:
    MutexLinksTestSuite()
        : TestSuite("manet-mutex-links", Type::UNIT)
    {
        AddTestCase(new MutexLinkUpTestCase("in range a link comes up at both ends"));
        AddTestCase(new MutexRolesTestCase(0));
        AddTestCase(new MutexRolesTestCase(1));
        // A frame of its own takes a millisecond or so, the next hello up to 0.55 s.
        AddTestCase(new MutexWeakTestCase(false, MilliSeconds(50)));
        AddTestCase(new MutexWeakTestCase(true, MilliSeconds(560)));
        AddTestCase(new MutexMarginTestCase(64, -1, true, true));
        AddTestCase(new MutexMarginTestCase(67, -1, true, false));
        AddTestCase(new MutexMarginTestCase(84, -1, true, false));
        AddTestCase(new MutexMarginTestCase(84, 0, true, true));
        AddTestCase(new MutexMarginTestCase(88, 0, false, false));
        AddTestCase(new MutexSilentTestCase("a silent node is given up"));
        AddTestCase(new MutexFlapTestCase("a broken link forms again"));
        AddTestCase(new MutexAckedTestCase("the next message follows the radio's word"));
        AddTestCase(new MutexDroppedTestCase("a message that failed is sent again soon"));
        AddTestCase(new MutexHelloTestCase("hellos keep their interval and jitter"));
    }
};

MutexLinksTestSuite g_mutexLinksTestSuite; //!< registers itself

} // namespace
