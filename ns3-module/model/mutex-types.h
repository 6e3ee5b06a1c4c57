/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MUTEX_TYPES_H
#define MUTEX_TYPES_H

#include "ns3/nstime.h"

#include <cstdint>
#include <ostream>
#include <stdexcept>
#include <string>

/**
 * @file
 * @ingroup manet-mutex
 * The nouns that applications, monitors and trace sinks share.
 */

namespace ns3
{

/**
 * @ingroup manet-mutex
 * Thrown where the core refuses something or a setting is invalid. The text says what to do.
 *
 * An exception rather than NS_FATAL_ERROR: a program can report it and go on, and in Python it
 * is an exception of the interpreter, not its end.
 */
class MutexError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/**
 * @ingroup manet-mutex
 * What an application asks for.
 */
struct MutexDemand
{
    /// Which of the fields mean something.
    enum Kind : uint8_t
    {
        EXCLUSIVE, //!< to be alone: no field
        GROUP,     //!< to be with the same group only: resource
        UNITS      //!< some of k units: units and priority
    };

    Kind kind{EXCLUSIVE};  //!< which
    uint32_t resource{0};  //!< the group or session
    uint32_t units{0};     //!< how many units
    uint32_t priority{0};  //!< the larger, the more urgent
};

/**
 * Writes a demand for people.
 * @param os the stream
 * @param demand the demand
 * @returns the stream
 */
std::ostream& operator<<(std::ostream& os, const MutexDemand& demand);

/**
 * @ingroup manet-mutex
 * What kind of protocol it is.
 */
struct MutexNature
{
    MutexDemand most; //!< what may be asked for: how many groups, units and priorities there are
    bool local;       //!< only neighbours keep each other out
    bool routed;      //!< it speaks to any node, over routing, and not to neighbours
};

/**
 * @ingroup manet-mutex
 * A message of the protocol, as its sender or its receiver sees it.
 */
struct MutexMessage
{
    uint32_t peer{0};  //!< the other node
    std::string kind;  //!< its name in the paper
    uint32_t bytes{0}; //!< its size, without the headers of the link layer
    bool token{false}; //!< whether it takes the token along; for its sender only
};

/**
 * @ingroup manet-mutex
 * What is known about a message whose link closed before it was acknowledged.
 */
enum class MutexDoubt : uint8_t
{
    OPEN,      //!< nothing: the peer may have it or not
    DELIVERED, //!< the peer has it
    RETURNED   //!< the peer never got it; it belongs to its sender again
};

/**
 * @ingroup manet-mutex
 * Which end of a new link came to the other.
 */
enum class MutexRole : uint8_t
{
    STATIC, //!< stayed
    MOVING  //!< came
};

} // namespace ns3

#endif // MUTEX_TYPES_H
