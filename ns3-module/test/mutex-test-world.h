/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MUTEX_TEST_WORLD_H
#define MUTEX_TEST_WORLD_H

#include "ns3/application-container.h"
#include "ns3/mutex-application.h"
#include "ns3/mutex-helper.h"
#include "ns3/mutex-monitor.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/propagation-loss-model.h"
#include "ns3/simple-channel.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/vector.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup manet-mutex-tests
 * Small networks, and what is written down about them.
 */

namespace ns3
{

/**
 * @ingroup manet-mutex-tests
 * Something that a node told through its trace sources.
 */
struct MutexTestEvent
{
    Time time;         //!< when
    uint32_t node{0};  //!< where
    std::string what;  //!< the trace source; moved and stopped for Motion
    uint32_t peer{0};  //!< the other node, where there is one
    std::string text;  //!< role, cause, kind of message or frame, doubt
    Time span;         //!< the wait or the stay
};

/**
 * @ingroup manet-mutex-tests
 * All that the nodes of a run told, in its order.
 */
class MutexTestDiary
{
  public:
    /// @param applications whose traces are written down
    void Watch(const ApplicationContainer& applications);

    /**
     * @param what the trace source
     * @returns its events
     */
    std::vector<MutexTestEvent> All(const std::string& what) const;
    /**
     * @param what the trace source
     * @param node where
     * @returns its events
     */
    std::vector<MutexTestEvent> At(const std::string& what, uint32_t node) const;
    /**
     * @param what the trace source
     * @returns how many events
     */
    std::size_t Count(const std::string& what) const;

    std::vector<MutexTestEvent> events; //!< all of them

  private:
    /**
     * Writes something down.
     * @param node where
     * @param what the trace source
     * @param peer the other node
     * @param text more
     * @param span how long
     */
    void Note(uint32_t node,
              const std::string& what,
              uint32_t peer = 0,
              const std::string& text = "",
              Time span = Time(0));
    void Request(uint32_t node, const MutexDemand& demand);                        //!< sink
    void Enter(uint32_t node, const MutexDemand& demand, Time waited);             //!< sink
    void Release(uint32_t node, Time inside);                                      //!< sink
    void Demote(uint32_t node);                                                    //!< sink
    void LinkUp(uint32_t node, uint32_t peer, MutexRole role);                     //!< sink
    void LinkDown(uint32_t node, uint32_t peer, const std::string& cause);         //!< sink
    void Tx(uint32_t node, const MutexMessage& message);                           //!< sink
    void Rx(uint32_t node, const MutexMessage& message);                           //!< sink
    void TokenMoved(uint32_t node, uint32_t from);                                 //!< sink
    void Towards(uint32_t node, uint32_t peer);                                    //!< sink
    void Doubt(uint32_t node, const MutexMessage& message, MutexDoubt doubt);      //!< sink
    void FrameTx(uint32_t node, Ptr<const Packet> frame, const std::string& kind); //!< sink
    void Motion(uint32_t node, const Vector& position, const Vector& velocity);    //!< sink
};

/**
 * @ingroup manet-mutex-tests
 * A test of a network. A test builds one, sets attributes of the helper, installs, and runs.
 */
class MutexTestCase : public TestCase
{
  public:
    /// @param name says what is expected
    explicit MutexTestCase(const std::string& name);

    /**
     * @param nodes how many
     * @param gap between two
     * @returns positions on a line
     */
    static std::vector<Vector> Line(uint32_t nodes, double gap);

  protected:
    /// Where the mean power is -82 dBm, in metres.
    static constexpr double RANGE = 85.58;
    /// Within this distance links form, by default: 3.5 dB more than at RANGE.
    static constexpr double FORM = 65.4;
    /// Up to this distance links are kept, by default: 2 dB more than at RANGE.
    static constexpr double KEEP = 73.4;

    /**
     * Makes 802.11g radios.
     * @param positions of the nodes; they can be given a velocity
     * @param loss the channel's; a log-distance one with RANGE by default
     */
    void MakeWifi(const std::vector<Vector>& positions, Ptr<PropagationLossModel> loss = nullptr);
    /**
     * Makes an ideal channel on which everybody hears everybody.
     * @param nodes how many
     * @param delay of each frame
     */
    void MakeIdeal(uint32_t nodes, Time delay = MilliSeconds(1));
    /**
     * Makes two nodes of an ideal channel deaf to each other, or not.
     * @param a one
     * @param b the other
     * @param deaf which of both
     */
    void Separate(uint32_t a, uint32_t b, bool deaf = true);
    /// Installs the applications, with diary and monitor.
    void Install();
    /// Runs up to a time. @param until when
    void RunUntil(Time until);
    /**
     * Runs up to a time, or to a MutexError.
     * @param until when
     * @returns the error's text, or nothing
     */
    static std::string RunToError(Time until);
    /**
     * @param act does something
     * @returns the text of the MutexError that it throws, or nothing
     */
    static std::string ErrorOf(const std::function<void()>& act);
    /**
     * Schedules something that throws. ns-3 does not free an event that throws; this function's
     * name is how sanitizers tell these from leaks.
     * @param at when
     * @param act throws
     */
    static void ScheduleThrowing(Time at, std::function<void()> act);
    /**
     * @param node its number
     * @returns its application
     */
    MutexApplication& App(uint32_t node) const;
    /**
     * Sends a node on its way.
     * @param node its number
     * @param velocity its velocity
     */
    void Move(uint32_t node, const Vector& velocity) const;
    /// Puts a node somewhere else at once. @param node its number @param position where
    void Teleport(uint32_t node, const Vector& position) const;
    /// Expects: no violation, every request served, every node entered.
    void ExpectExclusionAndService();

    MutexHelper helper;                //!< installs
    NodeContainer nodes;               //!< all
    NetDeviceContainer devices;        //!< one for each node
    Ptr<SimpleChannel> channel;        //!< of an ideal network
    ApplicationContainer applications; //!< one on each node
    Ptr<MutexMonitor> monitor;         //!< watches them
    MutexTestDiary diary;              //!< what they told

    void DoSetup() override;
    void DoTeardown() override;
};

/**
 * @ingroup manet-mutex-tests
 * A link that breaks without warning while the token is on its way over it.
 *
 *     0 ---- 1
 *     |      |     becomes     0 -- 2 -- 1
 *     +- 2 --+
 */
class MutexTornTestCase : public MutexTestCase
{
  protected:
    using MutexTestCase::MutexTestCase;

    /// Makes the network; node 1 requests at 5 s and stays inside for 1 s, node 0 at 25 s.
    void MakeTorn();
    /**
     * Breaks the link.
     * @param after how long after node 0 sent the token, on the first occasion
     * @param place where node 1 is then
     */
    void Tear(Time after, const Vector& place);

    /// Where node 1 still hears node 2, but not node 0.
    static const Vector BEYOND;

  private:
    void Sent(uint32_t node, const MutexMessage& message); //!< sink
    void Entered(uint32_t node, const MutexDemand& demand, Time waited); //!< sink

    Time m_after;        //!< see Tear
    Vector m_place;      //!< see Tear
    bool m_torn{false};  //!< once
};

/**
 * @ingroup manet-mutex-tests
 * @param text a text
 * @param part looked for
 * @returns whether the text contains the part
 */
inline bool
Contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

} // namespace ns3

#endif // MUTEX_TEST_WORLD_H
