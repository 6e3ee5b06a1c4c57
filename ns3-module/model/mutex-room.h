/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MUTEX_ROOM_H
#define MUTEX_ROOM_H

#include "mutex-types.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace ns3
{

/**
 * @ingroup manet-mutex
 * Who is inside, and whether they may be there together. Knows what was asked for and which nodes
 * are neighbours, and nothing of any protocol.
 *
 * Under a local protocol two nodes keep each other out from the moment at which the moving end of
 * their link has learned of it, until either end has closed it. Before and after that they may be
 * inside together without fault of the protocol; how long they are is told by a callback.
 */
class MutexRoom
{
  public:
    /// Is told of two nodes that were inside together without a link, and for how long.
    using Company = std::function<void(uint32_t, uint32_t, Time)>;

    /**
     * @param local whether only neighbours keep each other out
     * @param units that there are
     * @param company called under local protocols
     */
    MutexRoom(bool local, uint32_t units, Company company);

    /**
     * A node enters.
     * @param node which
     * @param demand what it was granted
     * @returns why it must not, or nothing
     */
    std::string Enter(uint32_t node, const MutexDemand& demand);
    /**
     * A node leaves, or is demoted.
     * @param node which
     */
    void Leave(uint32_t node);
    /**
     * A node stops. If only neighbours keep each other out and it is inside, it still keeps those
     * out whose link to it is up; otherwise it leaves. It no longer counts as inside.
     * @param node which
     */
    void Silence(uint32_t node);
    /**
     * A node that stopped starts again: it is not inside and has no neighbours.
     * @param node which
     */
    void Revive(uint32_t node);
    /**
     * The moving end of a link has learned of it. That one of the two stepped back is to be seen
     * when it has had its turn, by Check.
     * @param a one end
     * @param b the other
     */
    void Meet(uint32_t a, uint32_t b);
    /**
     * One end closed their link.
     * @param a one end
     * @param b the other
     */
    void Part(uint32_t a, uint32_t b);
    /**
     * @param a a node
     * @param b another
     * @returns why they must not both be inside as they are, or nothing
     */
    std::string Check(uint32_t a, uint32_t b) const;

    /// @returns how many are inside
    std::size_t GetSize() const;
    /// @returns how many were inside at once, mean over the time in which anybody was
    double GetMeanSize() const;
    /// @returns how many were inside at once, at most
    std::size_t GetMostSize() const;
    /// Measures from now on.
    void Restart();

  private:
    /// Two nodes, the smaller one first.
    using Pair = std::pair<uint32_t, uint32_t>;

    /// @param a a node @param b another @returns both
    static Pair Ordered(uint32_t a, uint32_t b);
    /// Counts the time since the last change. To be called before the next one.
    void Tally();
    /**
     * @param node which
     * @returns what it was granted if it is inside, or was when it stopped, else nullptr
     */
    const MutexDemand* DemandOf(uint32_t node) const;
    /// @param pair that is no longer in company
    void EndCompany(const Pair& pair);
    /// Two nodes are in company from now on, if both are inside without a link. @param pair them
    void BeginCompany(const Pair& pair);

    bool m_local;                             //!< only neighbours keep each other out
    uint32_t m_units;                         //!< that there are
    Company m_told;                           //!< see Company
    std::map<uint32_t, MutexDemand> m_inside; //!< with what
    std::map<uint32_t, MutexDemand> m_silent; //!< nodes that stopped inside, with what
    std::set<Pair> m_neighbours;              //!< who keep each other out
    std::map<Pair, Time> m_company;           //!< inside together without a link, since when
    Time m_changed;                           //!< when it was counted last
    Time m_busy;                              //!< in which anybody was inside
    double m_stays{0};                        //!< seconds inside, of all together
    std::size_t m_most{0};                    //!< see GetMostSize
};

} // namespace ns3

#endif // MUTEX_ROOM_H
