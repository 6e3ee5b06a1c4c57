/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The golden bytes in tests/vectors, through a device: what is right is understood, what is wrong
// is ignored, and nothing that arrives stops a node.
#include "mutex-test-puppet.h"
#include "mutex-test-world.h"

#include "ns3/boolean.h"
#include "ns3/uinteger.h"

#include <fstream>
#include <sstream>

#ifndef MUTEX_VECTORS
#define MUTEX_VECTORS "contrib/manet-mutex/tests/vectors"
#endif

using namespace ns3;

namespace
{

/// A line of tests/vectors.
struct MutexVector
{
    std::string line;             //!< all of it
    std::string protocol;         //!< its first word
    std::string kind;             //!< its second word
    MutexTestPuppet::Bytes bytes; //!< what follows the last colon
};

/**
 * @param file its name
 * @returns its lines
 */
std::vector<MutexVector>
Vectors(const std::string& file)
{
    std::vector<MutexVector> vectors;
    std::ifstream stream(std::string(MUTEX_VECTORS "/") + file);
    for (std::string line; std::getline(stream, line);)
    {
        const auto colon = line.rfind(" : ");
        if (line.empty() || line[0] == '#' || colon == std::string::npos)
        {
            continue;
        }
        MutexVector vector{line, "", "", {}};
        std::istringstream(line) >> vector.protocol >> vector.kind;
        std::istringstream hex(line.substr(colon + 3));
        for (unsigned byte; hex >> std::hex >> byte;)
        {
            vector.bytes.push_back(byte);
        }
        vectors.push_back(vector);
    }
    return vectors;
}

/**
 * @ingroup manet-mutex-tests
 * A station, number 4 of 5, and bytes out of the blue.
 */
class MutexFramesTestCase : public MutexTestCase
{
  protected:
    using MutexTestCase::MutexTestCase;
    using Bytes = MutexTestPuppet::Bytes; //!< of a frame

    /**
     * Lets the station receive these frames, one each millisecond from 1 s on.
     * @param frames the bytes
     */
    void Feed(const std::vector<Bytes>& frames)
    {
        // puppet --> 4
        helper.SetAttribute("Automatic", BooleanValue(false));
        MakeIdeal(2);
        applications = helper.Install(nodes.Get(0));
        App(0).SetAttribute("Id", UintegerValue(4));
        App(0).SetAttribute("Population", UintegerValue(200));
        App(0).TraceConnectWithoutContext("FrameTx",
                                          MakeCallback(&MutexFramesTestCase::Sent, this));
        MutexTestPuppet puppet(devices.Get(1), 3, 4);
        auto at = Seconds(1);
        for (const auto& frame : frames)
        {
            Simulator::Schedule(at, [&puppet, frame] { puppet.Send(frame); });
            at += MilliSeconds(1);
        }
        const auto error = RunToError(at + Seconds(1));
        NS_TEST_EXPECT_MSG_EQ(error, "", "bytes that arrive must not be an error");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(Simulator::Now(), at, "the run's end");
    }

    std::size_t m_hello{0};   //!< the size of the last hello
    uint32_t m_others{0};     //!< frames of other kinds

  private:
    void Sent(uint32_t, Ptr<const Packet> frame, const std::string& kind)
    {
        if (kind == "hello")
        {
            m_hello = frame->GetSize();
        }
        else
        {
            m_others++;
        }
    }
};

/// Size of a hello that lists nobody: version, protocol, kind, sender, number, 0.
constexpr std::size_t EMPTY_HELLO = 6;

/**
 * @ingroup manet-mutex-tests
 * The golden frames as they are.
 */
class MutexGoldenFramesTestCase : public MutexFramesTestCase
{
    using MutexFramesTestCase::MutexFramesTestCase;

    void DoRun() override
    {
        std::vector<Bytes> frames;
        for (const auto& vector : Vectors("frames.txt"))
        {
            frames.push_back(vector.bytes);
        }
        NS_TEST_ASSERT_MSG_GT(frames.size(), 15, "frames in " MUTEX_VECTORS);
        // rl Flood from=7 origin=3 number=2 hops=32 target=5 ask=true final=(5,2,9)
        frames.push_back({1, 1, 4, 7, 3, 2, 32, 5, 1, 5, 2, 9});
        Feed(frames);
        // It lists who said hello, and passes a flood for another node on.
        NS_TEST_EXPECT_MSG_GT(m_hello, EMPTY_HELLO, "size of a hello");
        NS_TEST_EXPECT_MSG_EQ(m_others, 1, "floods");
    }
};

/**
 * @ingroup manet-mutex-tests
 * The golden frames cut short, drawn out, and of other versions.
 */
class MutexMalformedFramesTestCase : public MutexFramesTestCase
{
    using MutexFramesTestCase::MutexFramesTestCase;

    void DoRun() override
    {
        std::vector<Bytes> frames{{}};
        for (const auto& vector : Vectors("frames.txt"))
        {
            const auto& bytes = vector.bytes;
            if (vector.protocol != "rl" || vector.kind == "Data")
            {
                continue; // what a message says is no matter of the frame
            }
            for (std::size_t size = 1; size < bytes.size(); ++size)
            {
                frames.emplace_back(bytes.begin(), bytes.begin() + size);
            }
            frames.push_back(bytes);
            frames.back().push_back(0);
            frames.push_back(bytes);
            frames.back()[0]++;
        }
        NS_TEST_ASSERT_MSG_GT(frames.size(), 100, "malformed frames");
        Feed(frames);
        NS_TEST_EXPECT_MSG_EQ(m_hello, EMPTY_HELLO, "size of a hello");
        NS_TEST_EXPECT_MSG_EQ(m_others, 0, "answers");
    }
};

/**
 * @ingroup manet-mutex-tests
 * The golden frames with bytes changed at random.
 */
class MutexMutatedFramesTestCase : public MutexFramesTestCase
{
    using MutexFramesTestCase::MutexFramesTestCase;

    void DoRun() override
    {
        const auto vectors = Vectors("frames.txt");
        auto random = CreateObject<UniformRandomVariable>();
        random->SetStream(7);
        const auto below = [&](std::size_t n) {
            return random->GetInteger(0, static_cast<uint32_t>(n) - 1);
        };
        std::vector<Bytes> frames;
        for (int i = 0; i < 5000; ++i)
        {
            auto bytes = vectors[below(vectors.size())].bytes;
            for (auto changes = 1 + below(3); changes > 0; --changes)
            {
                bytes[below(bytes.size())] = below(256);
            }
            frames.push_back(bytes);
        }
        Feed(frames);
    }
};

/**
 * @ingroup manet-mutex-tests
 * The golden messages, each on a link.
 */
class MutexGoldenMessagesTestCase : public MutexTestCase
{
    using MutexTestCase::MutexTestCase;

    void DoRun() override
    {
        uint32_t read = 0;
        for (const auto& vector : Vectors("messages.txt"))
        {
            if (vector.protocol == "rl")
            {
                Say(vector.bytes);
                NS_TEST_ASSERT_MSG_EQ(m_received.size(), 1, "received: " + vector.line);
                NS_TEST_EXPECT_MSG_EQ(m_received[0].kind, vector.kind, vector.line);
                NS_TEST_EXPECT_MSG_EQ(m_received[0].bytes, vector.bytes.size(), vector.line);
                NS_TEST_EXPECT_MSG_EQ(m_received[0].peer, 0, vector.line);
                read++;
                // Cut short it is none.
                Say({vector.bytes.begin(), vector.bytes.end() - 1});
                NS_TEST_EXPECT_MSG_EQ(m_received.size(), 0, "cut short: " + vector.line);
            }
        }
        NS_TEST_EXPECT_MSG_GT(read, 5, "messages in " MUTEX_VECTORS);
    }

    /// Says something to a fresh station. @param message the bytes
    void Say(const MutexTestPuppet::Bytes& message)
    {
        // 0, a puppet -- 1
        m_received.clear();
        helper.SetAttribute("Automatic", BooleanValue(false));
        MakeIdeal(2);
        applications = helper.Install(nodes.Get(1));
        App(0).SetAttribute("Population", UintegerValue(2));
        App(0).SetAttribute("Id", UintegerValue(1));
        App(0).TraceConnectWithoutContext("Rx",
                                          MakeCallback(&MutexGoldenMessagesTestCase::Rx, this));
        App(0).TraceConnectWithoutContext("Broken",
                                          MakeCallback(&MutexGoldenMessagesTestCase::Broken, this));
        MutexTestPuppet puppet(devices.Get(0), 0, 1);
        puppet.Start();
        Simulator::Schedule(Seconds(4), [&] { puppet.Say(message); });
        const auto error = RunToError(Seconds(5));
        NS_TEST_EXPECT_MSG_EQ(error, "", "bytes that arrive must not be an error");
        DoTeardown();
    }

    void Rx(uint32_t, const MutexMessage& message)
    {
        m_received.push_back(message);
    }

    /// A peer that sends the heights of others is a liar, which is for others to test.
    void Broken(uint32_t, const std::string&)
    {
    }

    std::vector<MutexMessage> m_received; //!< by the station
};

/**
 * @ingroup manet-mutex-tests
 * Bytes from elsewhere.
 */
class MutexVectorsTestSuite : public TestSuite
{
  public:
    MutexVectorsTestSuite()
        : TestSuite("manet-mutex-vectors", Type::UNIT)
    {
        AddTestCase(new MutexGoldenFramesTestCase("golden frames are understood"));
        AddTestCase(new MutexMalformedFramesTestCase("malformed frames are ignored"));
        AddTestCase(new MutexMutatedFramesTestCase("changed frames are no error"));
        AddTestCase(new MutexGoldenMessagesTestCase("golden messages are understood"));
    }
};

MutexVectorsTestSuite g_mutexVectorsTestSuite; //!< registers itself

} // namespace
