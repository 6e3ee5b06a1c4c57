/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Several inside at once: groups (gme) and units (hk), over 802.11.
#include "mutex-test-world.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

using namespace ns3;

namespace
{

/**
 * @ingroup manet-mutex-tests
 * Five nodes on a line that request often and stay long.
 */
class MutexSharingTestCase : public MutexTestCase
{
  public:
    /**
     * @param protocol its name
     * @param attribute how many groups or units there are
     * @param count so many
     * @param together whether more than one is ever inside
     */
    MutexSharingTestCase(const std::string& protocol,
                         const std::string& attribute,
                         uint32_t count,
                         bool together)
        : MutexTestCase(protocol + ", " + attribute + " " + std::to_string(count)),
          m_protocol(protocol),
          m_attribute(attribute),
          m_count(count),
          m_together(together)
    {
    }

  private:
    void DoRun() override
    {
        // 0 -- 1 -- 2 -- 3 -- 4
        helper = MutexHelper(m_protocol);
        helper.SetAttribute(m_attribute, UintegerValue(m_count));
        helper.SetAttribute("ThinkTime", StringValue("ns3::ExponentialRandomVariable[Mean=0.5]"));
        helper.SetAttribute("CsTime", StringValue("ns3::ConstantRandomVariable[Constant=0.5]"));
        helper.SetAttribute("FirstRequest", TimeValue(Seconds(5)));
        helper.SetAttribute("LastRequest", TimeValue(Seconds(30)));
        MakeWifi(Line(5, 55));
        Install();
        RunUntil(Seconds(90));
        ExpectExclusionAndService();
        uint32_t inside = 0;
        uint32_t most = 0;
        Time busy;
        Time stays;
        Time before;
        for (const auto& event : diary.events)
        {
            busy += inside > 0 ? event.time - before : Time(0);
            stays += inside * (event.time - before);
            before = event.time;
            inside += event.what == "Enter" ? 1 : 0;
            inside -= event.what == "Release" ? 1 : 0;
            most = std::max(most, inside);
        }
        NS_TEST_EXPECT_MSG_EQ((most > 1), m_together, most << " inside together");
        NS_TEST_EXPECT_MSG_EQ(inside, 0, "inside at the end");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetMostInside(), most, "as the monitor has it");
        NS_TEST_EXPECT_MSG_EQ_TOL(monitor->GetMeanInside(),
                                  stays.GetSeconds() / busy.GetSeconds(),
                                  1e-9,
                                  "mean while anybody is inside");
    }

    std::string m_protocol;  //!< its name
    std::string m_attribute; //!< how many groups or units there are
    uint32_t m_count;        //!< so many
    bool m_together;         //!< whether more than one is ever inside
};

/**
 * @ingroup manet-mutex-tests
 * More units than there are, and a demand that means nothing to the protocol.
 */
class MutexRefusedTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        helper = MutexHelper("hk");
        helper.SetAttribute("K", UintegerValue(3));
        helper.SetAttribute("Automatic", StringValue("false"));
        MakeIdeal(2);
        Install();
        std::string tooMany;
        std::string other;
        Simulator::Schedule(Seconds(1), [&] {
            tooMany = ErrorOf([this] { App(0).Request({MutexDemand::UNITS, 0, 4, 0}); });
            other = ErrorOf([this] { App(0).Request({MutexDemand::GROUP, 1, 0, 0}); });
            App(0).Request({MutexDemand::UNITS, 0, 3, 0});
        });
        RunUntil(Seconds(2));
        NS_TEST_EXPECT_MSG_EQ(Contains(tooMany, "hk cannot serve"), true, tooMany);
        NS_TEST_EXPECT_MSG_EQ(Contains(other, "hk cannot serve"), true, other);
        // What was refused left nothing behind.
        NS_TEST_EXPECT_MSG_EQ(App(0).GetState(), MutexApplication::INSIDE, "all units");
        NS_TEST_EXPECT_MSG_EQ(monitor->GetRequests(), 1, "requests");
    }
};

/**
 * @ingroup manet-mutex-tests
 * Groups and units.
 */
class MutexSharingTestSuite : public TestSuite
{
  public:
    MutexSharingTestSuite()
        : TestSuite("manet-mutex-sharing", Type::UNIT)
    {
        AddTestCase(new MutexSharingTestCase("gme", "Groups", 1, true));
        AddTestCase(new MutexSharingTestCase("gme", "Groups", 3, true));
        AddTestCase(new MutexSharingTestCase("hk", "K", 1, false));
        AddTestCase(new MutexSharingTestCase("hk", "K", 4, true));
        AddTestCase(new MutexRefusedTestCase("units that there are not"));
    }
};

/// Registers the suite.
MutexSharingTestSuite g_mutexSharingTestSuite;

} // namespace
