/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MUTEX_CONNECTIVITY_H
#define MUTEX_CONNECTIVITY_H

#include "ns3/event-id.h"
#include "ns3/mobility-model.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/propagation-loss-model.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

class MutexMonitor;

/**
 * @ingroup manet-mutex
 * Looks at a set of links now and then: how many a node has, how many hops it is across, whether
 * it hangs together.
 */
class MutexGraphMeter
{
  public:
    /**
     * Takes one look.
     * @param nodes how many nodes
     * @param links between which
     */
    void Look(uint32_t nodes, const std::vector<std::pair<uint32_t, uint32_t>>& links);

    /// @returns looks taken
    uint64_t GetLooks() const;
    /// @returns links of a node, mean over nodes and looks
    double GetMeanDegree() const;
    /// @returns the share of looks at which all nodes hung together
    double GetConnectedShare() const;
    /// @returns hops between the two nodes farthest apart, mean over the looks at which all nodes
    ///          hung together
    double GetMeanDiameter() const;
    /// @returns the largest of these
    uint32_t GetLargestDiameter() const;

  private:
    uint64_t m_looks{0};     //!< see GetLooks
    uint64_t m_connected{0}; //!< looks at which all hung together
    double m_degrees{0};     //!< sum of mean degrees
    uint64_t m_diameters{0}; //!< sum of diameters
    uint32_t m_largest{0};   //!< see GetLargestDiameter
};

/**
 * @ingroup manet-mutex
 * True connectivity: which nodes could hear each other, from where they are and what the radio
 * channel does to power, fading aside; beside it, the links that the protocols have.
 *
 * It needs a loss model of its own, without randomness: asking the channel's would draw from its
 * random stream and so change the run.
 */
class MutexConnectivity : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
    MutexConnectivity();
    ~MutexConnectivity() override;

    /**
     * Begins to look.
     * @param nodes with mobility models
     * @param loss without randomness
     * @param monitor knows the links; may be null
     */
    void Start(const NodeContainer& nodes,
               Ptr<PropagationLossModel> loss,
               Ptr<MutexMonitor> monitor);
    /// Stops looking.
    void Stop();

    /// @returns what was seen of nodes in range of each other
    const MutexGraphMeter& GetInRange() const;
    /// @returns what was seen of links that are up at both ends
    const MutexGraphMeter& GetLinked() const;
    /// @returns time in which the nodes in range of each other did not all hang together
    Time GetPartitioned() const;
    /**
     * Under a local protocol two nodes without a link may be inside together; no protocol can
     * know better before their link is up. Pairs are judged by where they are when it ends.
     * @returns for how long, over all pairs, two such nodes were in range of each other
     */
    Time GetExposed() const;
    /// @returns the part of it in which their power was enough for a link to form
    Time GetExposedNear() const;

  protected:
    void DoDispose() override;

  private:
    /// Takes a look and plans the next one.
    void Look();
    /// Two nodes without a link were inside together. @param a one @param b other @param time long
    void Company(uint32_t a, uint32_t b, Time time);
    /// @param a a node @param b another @returns the power in dBm with which they hear each other
    double PowerBetween(uint32_t a, uint32_t b) const;
    /// @returns the pairs of nodes that are in range of each other
    std::vector<std::pair<uint32_t, uint32_t>> PairsInRange() const;

    Time m_interval;                  //!< attribute
    double m_txPower;                 //!< attribute
    double m_sensitivity;             //!< attribute
    double m_linkMargin;              //!< attribute
    std::vector<Ptr<MobilityModel>> m_mobility; //!< of the nodes looked at
    Ptr<PropagationLossModel> m_loss; //!< the oracle's own
    Ptr<MutexMonitor> m_monitor;      //!< knows the links
    MutexGraphMeter m_inRange;        //!< see GetInRange
    MutexGraphMeter m_linked;         //!< see GetLinked
    Time m_partitioned;               //!< see GetPartitioned
    Time m_exposed;                   //!< see GetExposed
    Time m_exposedNear;               //!< see GetExposedNear
    EventId m_next;                   //!< the next look
};

} // namespace ns3

#endif // MUTEX_CONNECTIVITY_H
