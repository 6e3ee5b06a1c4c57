/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MUTEX_HELPER_H
#define MUTEX_HELPER_H

#include "ns3/application-container.h"
#include "ns3/attribute.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup manet-mutex
 * Installs MutexApplications on the nodes that exclude each other.
 */
class MutexHelper
{
  public:
    /// @param protocol the protocol's name
    explicit MutexHelper(const std::string& protocol = "rl");

    /**
     * Sets an attribute of the applications.
     * @param name the attribute's name
     * @param value its value
     */
    void SetAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Installs one application on each node. All nodes of a protocol go into one call: they are
     * numbered in this order, and the first one starts with the token.
     * @param nodes the nodes, each with its device; for protocols over routing, with an internet
     *        stack and an address
     * @returns the applications
     * @throws MutexError if there are none, or an attribute is invalid
     */
    ApplicationContainer Install(const NodeContainer& nodes) const;

    /**
     * Assigns fixed stream numbers to the random variables of the applications.
     * @param nodes the nodes
     * @param stream the first stream number
     * @returns how many were assigned
     */
    static int64_t AssignStreams(const NodeContainer& nodes, int64_t stream);

  private:
    ObjectFactory m_factory; //!< makes the applications
};

} // namespace ns3

#endif // MUTEX_HELPER_H
