/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The file of events, which programs outside read: its fields, its order, its errors.
#include "mutex-test-world.h"

#include "ns3/mutex-event-log.h"

#include <fstream>
#include <map>
#include <regex>

using namespace ns3;

namespace
{

/**
 * @ingroup manet-mutex-tests
 * A run in which everything happens that can.
 */
class MutexFieldsTestCase : public MutexTornTestCase
{
    using MutexTornTestCase::MutexTornTestCase;

    void DoRun() override
    {
        const auto path = CreateTempDirFilename("events.jsonl");
        Tear(MicroSeconds(0), BEYOND);
        MakeTorn();
        // From 30 s on node 1 walks a little.
        Simulator::Schedule(Seconds(30), [this] { Move(1, Vector(-1.5, 0, 0)); });
        Simulator::Schedule(Seconds(35), [this] { Move(1, Vector()); });
        {
            MutexEventLog log(path);
            log.Watch(applications);
            RunUntil(Seconds(50));
            log.Close();
            Simulator::Destroy();
        }
        Read(path);

        // What the nodes told is all there.
        const std::map<std::string, std::string> sources{{"request", "Request"},
                                                         {"enter", "Enter"},
                                                         {"release", "Release"},
                                                         {"link_up", "LinkUp"},
                                                         {"link_down", "LinkDown"},
                                                         {"send", "Tx"},
                                                         {"recv", "Rx"},
                                                         {"token", "TokenMoved"},
                                                         {"towards", "Towards"}};
        for (const auto& [event, source] : sources)
        {
            NS_TEST_EXPECT_MSG_GT(m_lines[event], 0, event);
            NS_TEST_EXPECT_MSG_EQ(m_lines[event], diary.Count(source), event);
        }
        NS_TEST_EXPECT_MSG_EQ(m_lines["move"], 1, "moves");
        // At the start of each, at the break, at the end of the walk.
        NS_TEST_EXPECT_MSG_EQ(m_lines["stop"], 5, "stops");
        NS_TEST_EXPECT_MSG_GT(m_lines["doubt"], 0, "doubts");
        NS_TEST_EXPECT_MSG_EQ(m_lines["doubt"], m_lines["resolved"], "doubts");
        NS_TEST_EXPECT_MSG_EQ(m_lines["doubt"] + m_lines["resolved"],
                              diary.Count("Doubt"),
                              "doubts");
    }

    /// Checks all lines and counts them by event. @param path the file
    void Read(const std::string& path)
    {
        const std::string message(R"re(,"peer":[012],"kind":"(LinkInfo|Request|Token)","bytes":\d+)re");
        const std::string coordinate(R"re(:-?\d+\.\d{3})re");
        const std::string motion(",\"x\"" + coordinate + ",\"y\"" + coordinate + ",\"vx\"" +
                                 coordinate + ",\"vy\"" + coordinate);
        const std::map<std::string, std::regex> fields{
            {"request", std::regex("")},
            {"enter", std::regex("")},
            {"release", std::regex("")},
            {"link_up", std::regex(R"re(,"peer":[012],"role":"(static|moving)")re")},
            {"link_down", std::regex(R"re(,"peer":[012],"cause":"(weak|silent|left|backlog)")re")},
            {"send", std::regex(message)},
            {"recv", std::regex(message)},
            {"token", std::regex(R"re(,"peer":[012])re")},
            {"towards", std::regex(R"re(,"peer":[012])re")},
            {"move", std::regex(motion)},
            {"stop", std::regex(motion)},
            {"doubt", std::regex(message)},
            {"resolved", std::regex(message + R"re(,"outcome":"(delivered|returned)")re")}};
        const std::regex frame(R"re(\{"t":(\d+\.\d{9}),"node":[012],"event":"(\w+)"(.*)\})re");
        double before = 0;
        std::ifstream file(path);
        for (std::string line; std::getline(file, line);)
        {
            std::smatch match;
            NS_TEST_ASSERT_MSG_EQ(std::regex_match(line, match, frame), true, line);
            const auto time = std::stod(match[1]);
            NS_TEST_EXPECT_MSG_GT_OR_EQ(time, before, "in order: " << line);
            before = time;
            const auto found = fields.find(match[2]);
            NS_TEST_ASSERT_MSG_EQ((found != fields.end()), true, "event: " << line);
            const std::string rest(match[3]);
            NS_TEST_EXPECT_MSG_EQ(std::regex_match(rest, found->second), true, "fields: " << line);
            m_lines[match[2]]++;
        }
    }

    std::map<std::string, std::size_t> m_lines; //!< by event
};

/**
 * @ingroup manet-mutex-tests
 * One line as it is, with a time that has all digits of a nanosecond.
 */
class MutexLineTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        const auto path = CreateTempDirFilename("events.jsonl");
        // 0, alone, with the token
        MakeIdeal(1);
        applications = helper.Install(nodes);
        App(0).StopRequests();
        MutexEventLog log(path);
        log.Watch(applications);
        Simulator::Schedule(NanoSeconds(12000000034), [this] { App(0).Request(); });
        RunUntil(Seconds(12.05));
        Simulator::Destroy();
        log.Close();
        std::ifstream file(path);
        for (const auto expected : {R"({"t":0.000000000,"node":0,"event":"token","peer":0})",
                                    R"({"t":0.000000000,"node":0,"event":"towards","peer":0})",
                                    R"({"t":12.000000034,"node":0,"event":"request"})",
                                    R"({"t":12.000000034,"node":0,"event":"enter"})",
                                    ""})
        {
            std::string line;
            std::getline(file, line);
            NS_TEST_EXPECT_MSG_EQ(line, expected, "line");
        }
    }
};

/**
 * @ingroup manet-mutex-tests
 * Files that cannot be written.
 */
class MutexUnwritableTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        const std::string nowhere("/nonexistent/folder/events.jsonl");
        auto error = ErrorOf([&] { MutexEventLog log(nowhere); });
        NS_TEST_EXPECT_MSG_EQ(Contains(error, "cannot write " + nowhere), true, error);

        if (std::ifstream("/dev/full"))
        {
            MakeIdeal(1);
            Install();
            MutexEventLog log("/dev/full");
            log.Watch(applications);
            RunUntil(Seconds(1));
            error = ErrorOf([&] { log.Close(); });
            NS_TEST_EXPECT_MSG_EQ(Contains(error, "is the disk full?"), true, error);
        }
    }
};

/**
 * @ingroup manet-mutex-tests
 * The file of events.
 */
class MutexEventLogTestSuite : public TestSuite
{
  public:
    MutexEventLogTestSuite()
        : TestSuite("manet-mutex-event-log", Type::UNIT)
    {
        AddTestCase(new MutexFieldsTestCase("each event has its fields"));
        AddTestCase(new MutexLineTestCase("times have nanoseconds"));
        AddTestCase(new MutexUnwritableTestCase("a file that cannot be written is an error"));
    }
};

MutexEventLogTestSuite g_mutexEventLogTestSuite; //!< registers itself

} // namespace
