/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What a node tells of its motion. What follows from it for links is in the suite of links.
#include "mutex-test-world.h"

#include "ns3/boolean.h"
#include "ns3/mobility-helper.h"
#include "ns3/mobility-model.h"
#include "ns3/pointer.h"
#include "ns3/position-allocator.h"
#include "ns3/string.h"

#include <set>

using namespace ns3;

namespace
{

/**
 * @ingroup manet-mutex-tests
 * A node that moves as some model says.
 */
class MutexMotionTestCase : public MutexTestCase
{
  protected:
    using MutexTestCase::MutexTestCase;

    /// Runs for 100 s. @param mobility sets the model
    void Run(MobilityHelper& mobility)
    {
        helper.SetAttribute("Automatic", BooleanValue(false));
        MakeIdeal(1);
        mobility.Install(nodes);
        mobility.AssignStreams(nodes, 1);
        nodes.Get(0)->GetObject<MobilityModel>()->TraceConnectWithoutContext(
            "CourseChange",
            MakeCallback(&MutexMotionTestCase::Changed, this));
        Install();
        RunUntil(Seconds(100));
    }

    /// Sets a node that walks from place to place. @param mobility set @param pause at each
    static void SetWaypoints(MobilityHelper& mobility, const std::string& pause)
    {
        auto places = CreateObject<RandomRectanglePositionAllocator>();
        places->SetAttribute("X", StringValue("ns3::UniformRandomVariable[Max=50]"));
        places->SetAttribute("Y", StringValue("ns3::UniformRandomVariable[Max=50]"));
        mobility.SetPositionAllocator(places);
        mobility.SetMobilityModel("ns3::RandomWaypointMobilityModel",
                                  "Speed",
                                  StringValue("ns3::ConstantRandomVariable[Constant=10]"),
                                  "Pause",
                                  StringValue("ns3::ConstantRandomVariable[Constant=" + pause + "]"),
                                  "PositionAllocator",
                                  PointerValue(places));
    }

    uint32_t m_changes{0};     //!< of the course
    std::set<Time> m_instants; //!< of these

  private:
    void Changed(Ptr<const MobilityModel>)
    {
        m_changes++;
        m_instants.insert(Simulator::Now());
    }
};

/**
 * @ingroup manet-mutex-tests
 * At a waypoint without pause the model stops and goes at the same instant; told is one motion.
 */
class MutexRestlessTestCase : public MutexMotionTestCase
{
    using MutexMotionTestCase::MutexMotionTestCase;

    void DoRun() override
    {
        MobilityHelper mobility;
        SetWaypoints(mobility, "0");
        Run(mobility);
        const auto motions = diary.All("Motion");
        NS_TEST_EXPECT_MSG_GT(m_instants.size(), 10, "instants at which the course changes");
        NS_TEST_EXPECT_MSG_GT(m_changes, m_instants.size(), "the model tells more than one each");
        NS_TEST_EXPECT_MSG_EQ(motions.size(), m_instants.size(), "motions");
        std::set<Time> instants;
        for (const auto& motion : motions)
        {
            instants.insert(motion.time);
            NS_TEST_EXPECT_MSG_EQ(motion.text, "moves", "at " << motion.time.As(Time::S));
        }
        NS_TEST_EXPECT_MSG_EQ((instants == m_instants), true, "one for each");
    }
};

/**
 * @ingroup manet-mutex-tests
 * With a pause, walks and rests take turns.
 */
class MutexPauseTestCase : public MutexMotionTestCase
{
    using MutexMotionTestCase::MutexMotionTestCase;

    void DoRun() override
    {
        MobilityHelper mobility;
        SetWaypoints(mobility, "2");
        Run(mobility);
        const auto motions = diary.All("Motion");
        NS_TEST_ASSERT_MSG_GT(motions.size(), 10, "motions");
        for (std::size_t i = 1; i < motions.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_NE(motions[i].text, motions[i - 1].text, "turns");
            if (motions[i].text == "moves")
            {
                NS_TEST_EXPECT_MSG_EQ(motions[i].time - motions[i - 1].time, Seconds(2), "rest");
            }
        }
    }
};

/**
 * @ingroup manet-mutex-tests
 * A node that stays is told once.
 */
class MutexRestTestCase : public MutexMotionTestCase
{
    using MutexMotionTestCase::MutexMotionTestCase;

    void DoRun() override
    {
        MobilityHelper mobility;
        mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
        Run(mobility);
        const auto motions = diary.All("Motion");
        NS_TEST_ASSERT_MSG_EQ(motions.size(), 1, "motions");
        NS_TEST_EXPECT_MSG_EQ(motions[0].time, Time(0), "time");
        NS_TEST_EXPECT_MSG_EQ(motions[0].text, "rests", "motion");
    }
};

/**
 * @ingroup manet-mutex-tests
 * Motion.
 */
class MutexMotionTestSuite : public TestSuite
{
  public:
    MutexMotionTestSuite()
        : TestSuite("manet-mutex-motion", Type::UNIT)
    {
        AddTestCase(new MutexRestlessTestCase("one motion for each change of course"));
        AddTestCase(new MutexPauseTestCase("walks and rests take turns"));
        AddTestCase(new MutexRestTestCase("a node that stays tells so once"));
    }
};

MutexMotionTestSuite g_mutexMotionTestSuite; //!< registers itself

} // namespace
