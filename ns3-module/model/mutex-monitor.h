/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MUTEX_MONITOR_H
#define MUTEX_MONITOR_H

#include "mutex-room.h"
#include "mutex-traffic.h"
#include "mutex-types.h"

#include "ns3/application-container.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/ptr.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

namespace ns3
{

class MutexApplication;
class MutexChecker;
class Packet;
class WifiPhy;

/**
 * @ingroup manet-mutex
 * An observer that sees all nodes at once and belongs to no protocol: it holds a run to its
 * promises and measures it.
 *
 * Two judges work side by side. This class follows the trace sources only: who is inside, who has
 * the token, who waits. The core's own checkers (conservation of what protocols own, delivery
 * once and in order, the rules for messages in doubt) see the messages themselves. A violation
 * found by either counts.
 */
class MutexMonitor : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
    MutexMonitor();
    ~MutexMonitor() override;

    /**
     * Watches all nodes of a run. Once, before the applications start. The monitor must outlive
     * the run.
     * @param applications all MutexApplications
     * @throws MutexError if one of them is none, or there are none
     */
    void Watch(const ApplicationContainer& applications);

    /**
     * Watches a further life of a node: an application with the Id of one that is watched and a
     * larger Life. To be called before it starts; it must start after the earlier one stopped.
     * @param application the next life
     * @throws MutexError if it is none
     */
    void WatchRestart(Ptr<MutexApplication> application);

    /**
     * Measures from now on: what was counted so far is forgotten, for instance since the network
     * was not in its steady state yet. Violations stay; who waits now counts as a request.
     */
    void Restart();

    /// @returns how often a promise was broken
    uint64_t GetViolations() const;
    /// @returns the first broken promise, or nothing
    std::string GetFirstViolation() const;

    /// @returns requests made
    uint64_t GetRequests() const;
    /// @returns entries into the critical section
    uint64_t GetEntries() const;
    /// @returns nodes that wait now
    uint64_t GetWaiting() const;
    /// @returns nodes that are inside now
    uint64_t GetInside() const;
    /// @returns how many were inside at once, mean over the time in which anybody was
    double GetMeanInside() const;
    /// @returns how many were inside at once, at most
    uint64_t GetMostInside() const;
    /// @returns how long each entry was waited for, in seconds, in the order of entries
    const std::vector<double>& GetWaits() const;
    /// @returns entries by node
    const std::vector<uint64_t>& GetEntriesByNode() const;

    /// @returns messages sent by protocols, by their names
    const std::map<std::string, uint64_t>& GetMessages() const;
    /// @returns frames handed to the radios by link layers, by kind
    const std::map<std::string, uint64_t>& GetFrames() const;
    /// @returns bytes of hellos without messages
    uint64_t GetHelloBytes() const;

    /// @returns transmissions of Wi-Fi radios: hellos, messages, repetitions and acknowledgements
    uint64_t GetTransmissions() const;
    /// @returns their bytes, MAC headers included
    uint64_t GetTransmittedBytes() const;
    /// @returns their time on the air
    Time GetAirtime() const;
    /**
     * @param party for whose sake
     * @returns the part of all that was transmitted
     */
    MutexTraffic GetTraffic(MutexParty party) const;
    /// @returns the part of it that hellos took, with the messages that ride on them
    Time GetHelloAirtime() const;

    /// @returns links that came up, counted at each end
    uint64_t GetLinkUps() const;
    /// @returns links that closed, counted at each end
    uint64_t GetLinkDowns() const;
    /// @returns ends of links that closed, by cause
    const std::map<std::string, uint64_t>& GetCauses() const;
    /// @returns messages that were in doubt
    uint64_t GetDoubts() const;
    /// @returns messages that are in doubt now
    uint64_t GetOpenDoubts() const;
    /// @returns tokens that were lost with nodes that stopped
    uint64_t GetLostTokens() const;
    /// @returns frames and datagrams dropped because their sender or receiver is unknown
    uint64_t GetUnknownPeers() const;
    /// @returns how often the token changed hands
    uint64_t GetTokenMoves() const;
    /// @returns how often a node inside had to step back because a link formed
    uint64_t GetDemotions() const;
    /// @returns whether the protocol keeps only neighbours from being inside together
    bool IsLocal() const;
    /// @returns whether the protocol speaks to any node, over routing
    bool IsRouted() const;
    /// @returns the pairs of nodes whose link is up at both ends
    std::vector<std::pair<uint32_t, uint32_t>> GetLinks() const;

    /// @param what was broken
    typedef void (*ViolationTracedCallback)(const std::string& what);
    /// @param a a node @param b another @param time that both were inside, up to now
    typedef void (*CompanyTracedCallback)(uint32_t a, uint32_t b, Time time);

  protected:
    void DoDispose() override;

  private:
    /// What becomes of a node's radio.
    struct Ear;

    /// @param what was broken
    void Report(const std::string& what);
    void Request(uint32_t node, const MutexDemand& demand);             //!< sink
    void Enter(uint32_t node, const MutexDemand& demand, Time waited);  //!< sink
    void Release(uint32_t node, Time inside);                           //!< sink
    void Demote(uint32_t node);                                         //!< sink
    void LinkUp(uint32_t node, uint32_t peer, MutexRole role);          //!< sink
    void LinkDown(uint32_t node, uint32_t peer, const std::string& cause); //!< sink
    void Tx(uint32_t node, const MutexMessage& message);                //!< sink
    void TokenMoved(uint32_t node, uint32_t from);                      //!< sink
    void Doubt(uint32_t node, const MutexMessage& message, MutexDoubt doubt); //!< sink
    void FrameTx(uint32_t node, Ptr<const Packet> frame, const std::string& kind); //!< sink
    void Broken(uint32_t node, const std::string& what);                //!< sink
    void Start(uint32_t node, uint16_t life);                           //!< sink
    void Stop(uint32_t node, uint16_t life);                            //!< sink
    /// Connects the sinks and the checker. @param application one life of a node
    void Connect(Ptr<MutexApplication> application);
    /// Notes a link as one end sees it. @param node the end @param peer the other @param up so
    void SetUp(uint32_t node, uint32_t peer, bool up);
    /// Sees that of two nodes that met at most one is still inside. @param a one @param b the other
    void CheckMeeting(uint32_t a, uint32_t b);
    /// @param node whose radio is to be watched
    void WatchRadio(Ptr<MutexApplication> node);

    std::shared_ptr<MutexChecker> m_checker;        //!< the core's
    std::vector<Ptr<MutexApplication>> m_watched;   //!< all lives of all nodes
    std::unique_ptr<MutexRoom> m_room;              //!< who is inside
    std::vector<std::unique_ptr<Ear>> m_ears;       //!< at each radio
    std::map<uint32_t, Time> m_waiting;             //!< since when
    std::set<uint32_t> m_holders;                   //!< of the token
    std::vector<std::vector<bool>> m_up;            //!< for each end, to whom its link is up
    std::vector<double> m_waits;                    //!< see GetWaits
    std::vector<uint64_t> m_entries;                //!< by node
    std::map<std::string, uint64_t> m_messages;     //!< by kind
    std::map<std::string, uint64_t> m_frames;       //!< by kind
    std::map<std::string, uint64_t> m_causes;       //!< of link downs
    std::unordered_set<uint64_t> m_hellos;          //!< on their way to the air, by packet uid
    uint64_t m_helloBytes{0};                       //!< see GetHelloBytes
    uint64_t m_requests{0};                         //!< see GetRequests
    uint64_t m_violations{0};                       //!< found here
    std::string m_firstViolation;                   //!< found here
    std::map<MutexParty, MutexTraffic> m_traffic;   //!< see GetTraffic
    Time m_helloAirtime;                            //!< see GetHelloAirtime
    uint64_t m_linkUps{0};                          //!< see GetLinkUps
    uint64_t m_linkDowns{0};                        //!< see GetLinkDowns
    uint64_t m_doubts{0};                           //!< see GetDoubts
    uint64_t m_resolved{0};                         //!< doubts that are none any more
    std::map<uint32_t, uint64_t> m_doubtsOf;        //!< open ones, by node
    uint64_t m_lostTokens{0};                       //!< see GetLostTokens
    uint64_t m_tokenMoves{0};                       //!< see GetTokenMoves
    uint64_t m_demotions{0};                        //!< see GetDemotions

    bool m_local{false};                            //!< see IsLocal
    bool m_routed{false};                           //!< see IsRouted

    TracedCallback<const std::string&> m_violationTrace;          //!< Violation
    TracedCallback<uint32_t, uint32_t, Time> m_companyTrace;      //!< Company
};

} // namespace ns3

#endif // MUTEX_MONITOR_H
