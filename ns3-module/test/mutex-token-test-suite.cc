/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The token: there is one, wherever it goes, and it is not lost when a link breaks under it.
#include "mutex-test-world.h"

#include "ns3/string.h"

#include <algorithm>
#include <set>

using namespace ns3;

namespace
{

/**
 * @ingroup manet-mutex-tests
 * Follows the token from trace to trace.
 */
class MutexFollowTestCase : public MutexTornTestCase
{
  protected:
    using MutexTornTestCase::MutexTornTestCase;

    /// Expects that the token is at one node or on its way to one, always. @returns who has had it
    std::set<uint32_t> Follow()
    {
        std::set<uint32_t> had;
        bool held = false;
        uint32_t holder = 0;
        uint32_t heading = 0;
        for (const auto& event : diary.events)
        {
            if (event.what == "Tx" && event.text == "Token")
            {
                NS_TEST_EXPECT_MSG_EQ((held && holder == event.node), true, "sent by its holder");
                held = false;
                heading = event.peer;
            }
            if (event.what == "TokenMoved")
            {
                NS_TEST_EXPECT_MSG_EQ(held, false, "a second token at " << event.node);
                NS_TEST_EXPECT_MSG_EQ(event.peer, holder, "whence it came");
                if (event.peer != event.node)
                {
                    NS_TEST_EXPECT_MSG_EQ(event.node, heading, "where it went");
                }
                held = true;
                holder = event.node;
                had.insert(holder);
            }
            if (event.what == "Enter")
            {
                NS_TEST_EXPECT_MSG_EQ((held && holder == event.node), true, "enters with it");
            }
        }
        NS_TEST_EXPECT_MSG_EQ(held, true, "it is somewhere");
        return had;
    }

    /// @param fate what became of a doubt @returns how often
    std::size_t Doubts(const std::string& fate) const
    {
        const auto all = diary.All("Doubt");
        return std::count_if(all.begin(), all.end(), [&](const auto& event) {
            return event.text == fate;
        });
    }
};

/**
 * @ingroup manet-mutex-tests
 * A token that travels.
 */
class MutexTravelTestCase : public MutexFollowTestCase
{
    using MutexFollowTestCase::MutexFollowTestCase;

    void DoRun() override
    {
        // 0 -- 1 -- 2 -- 3
        helper.SetAttribute("ThinkTime", StringValue("ns3::ExponentialRandomVariable[Mean=1]"));
        helper.SetAttribute("LastRequest", TimeValue(Seconds(40)));
        MakeWifi(Line(4, 55));
        Install();
        RunUntil(Seconds(60));
        const auto had = Follow();
        NS_TEST_EXPECT_MSG_EQ(had.size(), 4, "nodes that had it");
        ExpectExclusionAndService();
        // It starts at node 0, which is no move.
        const auto moves = diary.All("TokenMoved");
        NS_TEST_ASSERT_MSG_GT(moves.size(), 10, "moves");
        NS_TEST_EXPECT_MSG_EQ(moves[0].node, 0, "start");
        NS_TEST_EXPECT_MSG_EQ(moves[0].peer, 0, "start");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetTokenMoves(), moves.size() - 1, "moves counted");
        for (std::size_t i = 1; i < moves.size(); ++i)
        {
            const auto step = static_cast<int>(moves[i].node) - static_cast<int>(moves[i].peer);
            NS_TEST_EXPECT_MSG_EQ(step * step, 1, "a step along the line");
        }
        // Everybody knows the way to it.
        const auto holder = moves.back().node;
        for (uint32_t node = 0; node < 4; ++node)
        {
            const auto way = node < holder ? node + 1 : node > holder ? node - 1 : node;
            NS_TEST_EXPECT_MSG_EQ(diary.At("Towards", node).back().peer, way, "from " << node);
        }
    }
};

/**
 * @ingroup manet-mutex-tests
 * The link breaks at any time around the hand-over; another way remains.
 */
class MutexTornWayTestCase : public MutexFollowTestCase
{
    using MutexFollowTestCase::MutexFollowTestCase;

    void DoRun() override
    {
        std::size_t delivered = 0;
        std::size_t returned = 0;
        std::size_t clean = 0;
        for (int microseconds = 0; microseconds <= 1200; microseconds += 20)
        {
            Tear(MicroSeconds(microseconds), BEYOND);
            MakeTorn();
            RunUntil(Seconds(50));
            Follow();
            NS_TEST_EXPECT_MSG_EQ(monitor->GetViolations(), 0, monitor->GetFirstViolation());
            NS_TEST_EXPECT_MSG_EQ(monitor->GetEntries(), 2, "served, torn at " << microseconds);
            NS_TEST_EXPECT_MSG_EQ(monitor->GetOpenDoubts(), 0, "open, torn at " << microseconds);
            NS_TEST_EXPECT_MSG_EQ(Doubts("open"),
                                  Doubts("delivered") + Doubts("returned"),
                                  "doubts resolved once");
            NS_TEST_EXPECT_MSG_EQ(monitor->GetDoubts(), Doubts("open"), "doubts counted");
            delivered += Doubts("delivered");
            returned += Doubts("returned");
            clean += Doubts("open") == 0;
            DoTeardown();
        }
        // All that can happen did.
        NS_TEST_EXPECT_MSG_GT(delivered, 0, "doubts about a token that arrived");
        NS_TEST_EXPECT_MSG_GT(returned, 0, "doubts about a token that did not");
        NS_TEST_EXPECT_MSG_GT(clean, 0, "breaks after the hand-over");
    }
};

/**
 * @ingroup manet-mutex-tests
 * The network falls apart while the token is on its way: it is frozen until they meet again.
 */
class MutexTornApartTestCase : public MutexFollowTestCase
{
    using MutexFollowTestCase::MutexFollowTestCase;

    void DoRun() override
    {
        Tear(MicroSeconds(0), Vector(5000, 0, 0));
        MakeTorn();
        RunUntil(Seconds(20));
        NS_TEST_EXPECT_MSG_EQ(monitor->GetOpenDoubts(), 1, "in doubt");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetEntries(), 0, "entries");
        RunUntil(Seconds(40));
        NS_TEST_EXPECT_MSG_EQ(monitor->GetOpenDoubts(), 1, "still in doubt");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetWaiting(), 2, "nobody has it");
        Teleport(1, BEYOND);
        RunUntil(Seconds(60));
        NS_TEST_EXPECT_MSG_EQ(monitor->GetOpenDoubts(), 0, "in doubt");
        NS_TEST_EXPECT_MSG_EQ(Doubts("returned"), 1, "it never arrived");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetEntries(), 2, "entries");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetViolations(), 0, monitor->GetFirstViolation());
        Follow();
    }
};

/**
 * @ingroup manet-mutex-tests
 * One token.
 */
class MutexTokenTestSuite : public TestSuite
{
  public:
    MutexTokenTestSuite()
        : TestSuite("manet-mutex-token", Type::UNIT)
    {
        AddTestCase(new MutexTravelTestCase("it is in one place while it travels"));
        AddTestCase(new MutexTornWayTestCase("it survives a link that breaks under it"));
        AddTestCase(new MutexTornApartTestCase("it is frozen while its two ends are apart"));
    }
};

MutexTokenTestSuite g_mutexTokenTestSuite; //!< registers itself

} // namespace
