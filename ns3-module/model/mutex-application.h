/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MUTEX_APPLICATION_H
#define MUTEX_APPLICATION_H

#include "mutex-types.h"

#include "ns3/application.h"
#include "ns3/event-id.h"
#include "ns3/ipv4-address.h"
#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"
#include "ns3/traced-callback.h"
#include "ns3/vector.h"

#include <bitset>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

class MobilityModel;
class MutexChecker;
class MutexChannel;
class Packet;

/**
 * @ingroup manet-mutex
 * Mutual exclusion at one node: runs a protocol of the core over the node's radio.
 *
 * It moves frames, outcomes, received power, motion and one timer between ns-3 and the core, and
 * tells through its trace sources what happens. Links are made of the radio by the core; there is
 * no IP below.
 *
 * By default it requests by itself, thinks for ThinkTime between two visits and stays inside for
 * CsTime. With Automatic set to false a program decides, by Request() and Release().
 */
class MutexApplication : public Application
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
    MutexApplication();
    ~MutexApplication() override;

    /// What the node is doing.
    enum State
    {
        IDLE,    //!< neither waiting nor inside
        WAITING, //!< wants to enter
        INSIDE   //!< in the critical section
    };

    /**
     * Asks to enter. From within a trace sink it takes effect right after the sink.
     * @param demand what for
     * @throws MutexError if the node is waiting or inside, has not started, or the protocol
     *         cannot serve the demand
     */
    void Request(const MutexDemand& demand = MutexDemand());
    /**
     * Leaves. From within a trace sink it takes effect right after the sink.
     * @throws MutexError if the node is not inside
     */
    void Release();

    /// @returns the names of all protocols, with commas
    static std::string GetProtocols();
    /// @returns what the node is doing
    State GetState() const;
    /// @returns the node's name in the protocol
    uint32_t GetId() const;
    /// @returns how many nodes the protocol runs on
    uint32_t GetPopulation() const;
    /**
     * @returns what kind of protocol it is
     * @throws MutexError if a setting is invalid
     */
    MutexNature GetNature() const;
    /**
     * @returns frames and datagrams that were dropped because their sender or receiver is unknown:
     *          its name is not below Population, or its address was never heard
     */
    uint64_t GetUnknownPeers() const;
    /// @returns the number of the node's life; see the attribute Life
    uint16_t GetLife() const;
    /**
     * Tells where the others are, for protocols over routing; MutexHelper does it.
     * @param addresses the IPv4 address of each node, by its name in the protocol
     */
    void SetAddresses(const std::vector<Ipv4Address>& addresses);

    /**
     * Makes all requests stop: what waits is still served.
     */
    void StopRequests();

    /**
     * Sees whether a node can be made of the attributes.
     * @throws MutexError if not
     */
    void Validate() const;

    /**
     * Makes a checker for this run; see SetChecker.
     * @returns a checker that fits this node's protocol
     * @throws MutexError if a setting is invalid
     */
    std::shared_ptr<MutexChecker> MakeChecker() const;
    /**
     * Lets a checker see everything, from the start. For MutexMonitor.
     * @param checker one for all nodes
     * @throws MutexError if the application runs already
     */
    void SetChecker(std::shared_ptr<MutexChecker> checker);

    /**
     * Assigns fixed stream numbers to the random variables.
     * @param stream the first stream number
     * @return how many were assigned
     */
    int64_t AssignStreams(int64_t stream);

    /// Makes the core panic, to see what becomes of it.
    void Panic();

    /// @param node the node @param demand what it wants
    typedef void (*RequestTracedCallback)(uint32_t node, const MutexDemand& demand);
    /// @param node the node @param demand what it got @param waited since the request
    typedef void (*EnterTracedCallback)(uint32_t node, const MutexDemand& demand, Time waited);
    /// @param node the node @param inside since the entry
    typedef void (*ReleaseTracedCallback)(uint32_t node, Time inside);
    /// @param node the node, which waits again
    typedef void (*DemoteTracedCallback)(uint32_t node);
    /// @param node the node @param peer the other end @param role this end's
    typedef void (*LinkUpTracedCallback)(uint32_t node, uint32_t peer, MutexRole role);
    /// @param node the node @param peer the other end @param cause weak, silent, left, backlog
    typedef void (*LinkDownTracedCallback)(uint32_t node, uint32_t peer, const std::string& cause);
    /// @param node the node @param message sent or received
    typedef void (*MessageTracedCallback)(uint32_t node, const MutexMessage& message);
    /// @param node has the token now @param from whence; itself at the start or if it came back
    typedef void (*TokenTracedCallback)(uint32_t node, uint32_t from);
    /// @param node the node @param peer whom it would ask; itself if it need not or cannot ask
    typedef void (*TowardsTracedCallback)(uint32_t node, uint32_t peer);
    /// @param node the sender @param message in doubt @param doubt what is known
    typedef void (*DoubtTracedCallback)(uint32_t node,
                                        const MutexMessage& message,
                                        MutexDoubt doubt);
    /// @param node the node @param peer owes it an answer @param reachable false: for long
    typedef void (*ReachTracedCallback)(uint32_t node, uint32_t peer, bool reachable);
    /// @param node the sender @param frame for the radio
    /// @param kind hello, shared (a hello that carries messages), data, ack, close, flood
    typedef void (*FrameTracedCallback)(uint32_t node,
                                        Ptr<const Packet> frame,
                                        const std::string& kind);
    /// @param node the node @param position where @param velocity zero if it stopped
    typedef void (*MotionTracedCallback)(uint32_t node,
                                         const Vector& position,
                                         const Vector& velocity);
    /// @param node the node @param what went wrong
    typedef void (*BrokenTracedCallback)(uint32_t node, const std::string& what);
    /// @param node the node @param life the number of its life
    typedef void (*LifeTracedCallback)(uint32_t node, uint16_t life);

  protected:
    void DoDispose() override;

  private:
    struct Core; //!< the core and what followed from its last input

    void StartApplication() override;
    void StopApplication() override;
    /// Stops all that goes on and frees the core. Tells nobody.
    void Halt();

    /**
     * Hands an input to the core and carries out what follows. While that happens, further inputs
     * wait for their turn.
     * @param input calls the core
     */
    template <typename F>
    void Input(F input);
    /// Hands one input to the core, if it runs. @param input calls the core
    template <typename F>
    void Handle(const F& input);
    /// Carries out what followed from an input.
    void CarryOut();
    /// Plans the core's next wake.
    void PlanWake();
    /// The core is due.
    void Wake();

    /**
     * A frame arrived.
     * @param frame the frame
     * @param from its sender's address
     * @param dbm its power
     */
    void Receive(Ptr<const Packet> frame, const Address& from, double dbm);
    /**
     * Remembers the address of a node.
     * @param id the node, or nobody
     * @param address its address
     */
    void Learn(uint32_t id, const Address& address);
    /**
     * The radio is done with a frame.
     * @param number names it
     * @param ok whether it was confirmed
     */
    void Sent(uint64_t number, bool ok);
    /**
     * Gives a frame to the radio.
     * @param frame the frame
     * @param kind its kind
     * @param peer the receiver, or everybody
     * @param number names it
     */
    void Transmit(Ptr<Packet> frame, const std::string& kind, uint32_t peer, uint64_t number);

    /// @param demand what was granted
    void Enter(const MutexDemand& demand);
    /// The node is not inside any more and waits again.
    void Demote();
    /// @throws MutexError if it requests by itself without any time passing
    void CheckTimes() const;
    /// Plans the next automatic request. @param first whether it is the first
    void Think(bool first);
    /// Makes an automatic request.
    void RequestByItself();
    /// @returns what to ask for
    MutexDemand DrawDemand();

    /// @param mobility changed its course
    void CourseChanged(Ptr<const MobilityModel> mobility);
    /// Tells core and trace of the motion as it is now.
    void ReportMotion();

    /// Opens the radio or a socket, as the protocol needs it.
    void OpenChannel();
    /// @returns the device to use
    Ptr<NetDevice> FindDevice() const;

    std::string m_protocol;                    //!< attribute
    uint32_t m_id;                             //!< attribute
    uint32_t m_population;                     //!< attribute
    Ptr<NetDevice> m_device;                   //!< attribute
    bool m_automatic;                          //!< attribute
    Ptr<RandomVariableStream> m_thinkTime;     //!< attribute
    Ptr<RandomVariableStream> m_csTime;        //!< attribute
    Time m_firstRequest;                       //!< attribute
    Time m_lastRequest;                        //!< attribute
    Time m_helloInterval;                      //!< attribute
    double m_helloJitter;                      //!< attribute
    double m_sensitivity;                      //!< attribute
    double m_margin;                           //!< attribute
    double m_hysteresis;                       //!< attribute
    double m_smoothing;                        //!< attribute
    bool m_sharing;                            //!< attribute
    uint8_t m_hellosToForm;                    //!< attribute
    uint8_t m_missesTolerated;                 //!< attribute
    double m_deadAfter;                        //!< attribute
    Time m_queryAfter;                         //!< attribute
    Time m_queryEvery;                         //!< attribute
    Time m_resendFirst;                        //!< attribute
    Time m_resendShortest;                     //!< attribute
    Time m_resendLongest;                      //!< attribute
    Time m_unreachableAfter;                   //!< attribute
    uint16_t m_raiseBurst;                     //!< attribute
    Time m_raiseRetry;                         //!< attribute
    Time m_raiseQuiet;                         //!< attribute
    uint32_t m_groups;                         //!< attribute
    std::string m_admission;                   //!< attribute
    uint32_t m_k;                              //!< attribute
    std::string m_order;                       //!< attribute
    Ptr<RandomVariableStream> m_group;         //!< attribute
    Ptr<RandomVariableStream> m_units;         //!< attribute
    Ptr<RandomVariableStream> m_priority;      //!< attribute
    uint16_t m_life;                           //!< attribute
    uint64_t m_seed;                           //!< attribute
    Ptr<UniformRandomVariable> m_seeds;        //!< where it comes from if it is 0
    Ptr<UniformRandomVariable> m_choice;       //!< of demands that no attribute draws

    // What every frame looks at is together: so it stays in the processor's cache.
    std::unique_ptr<Core> m_core;              //!< while the application runs
    /// Whose address need not be looked at; that of nodes beyond its size always is.
    std::bitset<128> m_known;
    std::optional<uint64_t> m_wakeAt;          //!< the core's next wake, in nanoseconds, if at all
    bool m_busy{false};                        //!< an input is being carried out
    bool m_routed{false};                      //!< whether the channel is IP
    std::deque<std::function<void(Core&)>> m_inputs; //!< that wait for their turn

    std::shared_ptr<MutexChecker> m_checker;   //!< if a monitor is there
    Ptr<MutexChannel> m_channel;               //!< while the application runs
    std::unordered_map<uint32_t, Address> m_addresses; //!< of the nodes heard, or of all
    uint64_t m_unknownPeers{0};                //!< see GetUnknownPeers; without those of m_core
    EventId m_wake;                            //!< the core's next
    EventId m_next;                            //!< the next request or release
    EventId m_motion;                          //!< a course change that is to be reported
    State m_state{IDLE};                       //!< what the node is doing
    Time m_since;                              //!< the request, or the entry

    TracedCallback<uint32_t, const MutexDemand&> m_requestTrace;             //!< Request
    TracedCallback<uint32_t, const MutexDemand&, Time> m_enterTrace;         //!< Enter
    TracedCallback<uint32_t, Time> m_releaseTrace;                           //!< Release
    TracedCallback<uint32_t> m_demoteTrace;                                  //!< Demote
    TracedCallback<uint32_t, uint32_t, MutexRole> m_linkUpTrace;             //!< LinkUp
    TracedCallback<uint32_t, uint32_t, const std::string&> m_linkDownTrace;  //!< LinkDown
    TracedCallback<uint32_t, const MutexMessage&> m_txTrace;                 //!< Tx
    TracedCallback<uint32_t, const MutexMessage&> m_rxTrace;                 //!< Rx
    TracedCallback<uint32_t, uint32_t> m_tokenTrace;                         //!< TokenMoved
    TracedCallback<uint32_t, uint32_t> m_towardsTrace;                       //!< Towards
    TracedCallback<uint32_t, const MutexMessage&, MutexDoubt> m_doubtTrace;  //!< Doubt
    TracedCallback<uint32_t, uint32_t, bool> m_reachTrace;                   //!< Reach
    TracedCallback<uint32_t, Ptr<const Packet>, const std::string&> m_frameTrace; //!< FrameTx
    TracedCallback<uint32_t, const Vector&, const Vector&> m_motionTrace;    //!< Motion
    TracedCallback<uint32_t, const std::string&> m_brokenTrace;              //!< Broken
    TracedCallback<uint32_t, uint16_t> m_startTrace;                         //!< Start
    TracedCallback<uint32_t, uint16_t> m_stopTrace;                          //!< Stop
};

} // namespace ns3

#endif // MUTEX_APPLICATION_H
