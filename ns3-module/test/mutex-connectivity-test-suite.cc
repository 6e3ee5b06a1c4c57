/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The observers of graphs, on graphs that are known.
#include "mutex-test-world.h"

#include "ns3/double.h"
#include "ns3/mutex-connectivity.h"

#include <cmath>

using namespace ns3;

namespace
{

/**
 * @ingroup manet-mutex-tests
 * Graphs without nodes of ns-3.
 */
class MutexGraphsTestCase : public TestCase
{
  public:
    MutexGraphsTestCase()
        : TestCase("degree, diameter and connectedness of known graphs")
    {
    }

  private:
    void DoRun() override
    {
        MutexGraphMeter meter;
        NS_TEST_EXPECT_MSG_EQ(meter.GetLooks(), 0, "looks");
        NS_TEST_EXPECT_MSG_EQ(meter.GetMeanDegree(), 0, "degree of nothing");
        NS_TEST_EXPECT_MSG_EQ(meter.GetConnectedShare(), 0, "share of nothing");
        NS_TEST_EXPECT_MSG_EQ(meter.GetMeanDiameter(), 0, "diameter of nothing");

        // 0 - 1 - 2 - 3 - 4
        meter.Look(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}});
        NS_TEST_EXPECT_MSG_EQ_TOL(meter.GetMeanDegree(), 1.6, 1e-9, "line");
        NS_TEST_EXPECT_MSG_EQ(meter.GetLargestDiameter(), 4, "line");
        NS_TEST_EXPECT_MSG_EQ(meter.GetConnectedShare(), 1, "line");

        // 0 - 1 - 2
        // |       |
        // +- 4 - 3
        meter.Look(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}});
        NS_TEST_EXPECT_MSG_EQ_TOL(meter.GetMeanDegree(), 1.8, 1e-9, "line and ring");
        NS_TEST_EXPECT_MSG_EQ_TOL(meter.GetMeanDiameter(), 3, 1e-9, "line and ring");
        NS_TEST_EXPECT_MSG_EQ(meter.GetLargestDiameter(), 4, "line and ring");

        // 0 - 1   2 - 3 - 4
        meter.Look(5, {{0, 1}, {2, 3}, {3, 4}});
        NS_TEST_EXPECT_MSG_EQ(meter.GetLooks(), 3, "looks");
        NS_TEST_EXPECT_MSG_EQ_TOL(meter.GetConnectedShare(), 2.0 / 3, 1e-9, "in two");
        NS_TEST_EXPECT_MSG_EQ_TOL(meter.GetMeanDiameter(), 3, 1e-9, "in two: not counted");

        MutexGraphMeter one;
        one.Look(1, {});
        NS_TEST_EXPECT_MSG_EQ(one.GetConnectedShare(), 1, "a node alone hangs together");
        NS_TEST_EXPECT_MSG_EQ(one.GetLargestDiameter(), 0, "a node alone");
        one.Look(2, {});
        NS_TEST_EXPECT_MSG_EQ(one.GetConnectedShare(), 0.5, "two nodes apart");

        // More nodes than a word has bits: 0 - 1 - ... - 129, then without the link in the middle.
        std::vector<std::pair<uint32_t, uint32_t>> line;
        for (uint32_t node = 1; node < 130; ++node)
        {
            line.emplace_back(node, node - 1);
        }
        MutexGraphMeter many;
        many.Look(130, line);
        NS_TEST_EXPECT_MSG_EQ(many.GetLargestDiameter(), 129, "long line");
        line.erase(line.begin() + 64);
        many.Look(130, line);
        NS_TEST_EXPECT_MSG_EQ(many.GetConnectedShare(), 0.5, "long line in two");
    }
};

/**
 * @ingroup manet-mutex-tests
 * Range to the last bit, and time apart.
 */
class MutexEdgeTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        auto loss = CreateObject<LogDistancePropagationLossModel>();
        loss->SetAttribute("ReferenceLoss", DoubleValue(40.05));
        loss->SetAttribute("Exponent", DoubleValue(3));
        // 16.0206 dBm - 40.05 dB - 30 log10(d) = -82 dBm
        const double edge = std::pow(10, (16.0206 - 40.05 + 82) / 30);
        NS_TEST_EXPECT_MSG_EQ_TOL(edge, RANGE, 0.01, "edge");

        // 0 -- 1    2, which stands just inside 1's range, then just outside
        MakeWifi({Vector(), Vector(50, 0, 0), Vector(50 + edge * (1 - 1e-9), 0, 0)});
        Install();
        auto connectivity = CreateObject<MutexConnectivity>();
        connectivity->Start(nodes, loss, monitor);
        Simulator::Schedule(Seconds(6.1), [this, edge] {
            Teleport(2, Vector(50 + edge * (1 + 1e-9), 0, 0));
        });
        RunUntil(Seconds(6.05));
        NS_TEST_EXPECT_MSG_EQ(connectivity->GetInRange().GetLooks(), 30, "looks");
        NS_TEST_EXPECT_MSG_EQ(connectivity->GetInRange().GetConnectedShare(), 1, "inside");
        NS_TEST_EXPECT_MSG_EQ(connectivity->GetInRange().GetLargestDiameter(), 2, "inside");
        NS_TEST_EXPECT_MSG_EQ(connectivity->GetPartitioned(), Time(0), "inside");
        RunUntil(Seconds(10.05));
        NS_TEST_EXPECT_MSG_EQ(connectivity->GetInRange().GetLooks(), 50, "looks");
        NS_TEST_EXPECT_MSG_EQ_TOL(connectivity->GetInRange().GetConnectedShare(),
                                  0.6,
                                  1e-9,
                                  "share");
        NS_TEST_EXPECT_MSG_EQ(connectivity->GetPartitioned(), Seconds(4), "outside");
        // Links are another matter: 2 is too far for one at any time.
        NS_TEST_EXPECT_MSG_EQ(connectivity->GetLinked().GetConnectedShare(), 0, "links");
        NS_TEST_EXPECT_MSG_GT(connectivity->GetLinked().GetMeanDegree(), 0, "links");

        connectivity->Stop();
        RunUntil(Seconds(12));
        NS_TEST_EXPECT_MSG_EQ(connectivity->GetInRange().GetLooks(), 50, "looks after the stop");
        connectivity->Dispose();
    }
};

/**
 * @ingroup manet-mutex-tests
 * Looking changes nothing.
 */
class MutexLookingTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        const auto blind = Count(false);
        const auto seen = Count(true);
        NS_TEST_EXPECT_MSG_GT(blind.size(), 50, "events");
        NS_TEST_EXPECT_MSG_EQ((blind == seen), true, "times of all events");
    }

    /// @param look whether somebody looks @returns the times of all that happens on a line
    std::vector<Time> Count(bool look)
    {
        // 0 -- 1 -- 2
        diary.events.clear();
        MakeWifi(Line(3, 50));
        Install();
        auto connectivity = CreateObject<MutexConnectivity>();
        if (look)
        {
            connectivity->Start(nodes, CreateObject<FriisPropagationLossModel>(), monitor);
        }
        RunUntil(Seconds(30));
        connectivity->Dispose();
        DoTeardown();
        std::vector<Time> times;
        for (const auto& event : diary.events)
        {
            times.push_back(event.time);
        }
        return times;
    }
};

/**
 * @ingroup manet-mutex-tests
 * Observers of graphs.
 */
class MutexConnectivityTestSuite : public TestSuite
{
  public:
    MutexConnectivityTestSuite()
        : TestSuite("manet-mutex-connectivity", Type::UNIT)
    {
        AddTestCase(new MutexGraphsTestCase);
        AddTestCase(new MutexEdgeTestCase("the edge of range is exact"));
        AddTestCase(new MutexLookingTestCase("looking changes nothing"));
    }
};

MutexConnectivityTestSuite g_mutexConnectivityTestSuite; //!< registers itself

} // namespace
