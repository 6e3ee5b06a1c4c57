/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MUTEX_CORE_H
#define MUTEX_CORE_H

// Private: the only header that knows the bridge. Installed headers, and so users and the Python
// interpreter, never see it.
#include "mutex-types.h"

#include "manet-mutex-bridge/src/lib.rs.h"

#include <string>

namespace ns3
{

/**
 * @ingroup manet-mutex
 * The core's own checkers, which see all that enters and leaves the protocols of a run.
 */
class MutexChecker
{
  public:
    /**
     * @param settings of any node of the run
     * @throws MutexError if they are invalid
     */
    explicit MutexChecker(const manet_mutex::Settings& settings);

    /// @returns how often a promise was broken
    uint64_t GetViolations() const;
    /// @returns the first broken promise, or nothing
    std::string GetFirstViolation() const;
    /// @returns messages in doubt whose fate is not known yet
    uint64_t GetOpenDoubts() const;

  private:
    friend class MutexCore;
    rust::Box<manet_mutex::Checker> m_checker; //!< the checker
};

/**
 * @ingroup manet-mutex
 * One node's protocol and link layer: owns a station of the core and speaks ns-3's language.
 *
 * An input is handed in, then its effects are taken if its report says so. Errors of the core are
 * MutexErrors that name node, time and cause.
 */
class MutexCore
{
  public:
    /// What an input left behind.
    using Report = manet_mutex::Report;
    /// What followed from it.
    using Effects = manet_mutex::Effects;

    /**
     * @param settings of the node
     * @throws MutexError if they are invalid
     */
    explicit MutexCore(const manet_mutex::Settings& settings);

    /**
     * Lets a checker see all that happens here.
     * @param checker the checker
     */
    void Watch(const MutexChecker& checker);

    /// The run begins. First, once.
    void Start();
    /**
     * The application wants to enter.
     * @param demand what it asks for
     */
    void Request(const MutexDemand& demand);
    /// The application leaves.
    void Release();
    /**
     * The radio received a frame.
     * @param bytes the frame
     * @param size its length
     * @param dbm its power
     */
    void Receive(const uint8_t* bytes, std::size_t size, double dbm);
    /**
     * Routing brought a datagram.
     * @param bytes the datagram
     * @param size its length
     */
    void ReceiveDatagram(const uint8_t* bytes, std::size_t size);
    /**
     * The radio is done with a frame for one node.
     * @param number names the frame
     * @param ok whether the receiver's radio confirmed it
     */
    void Sent(uint64_t number, bool ok);
    /// The time has come at which something is due.
    void Wake();
    /**
     * The node began to move, or stopped.
     * @param moving which of the two
     */
    void Move(bool moving);
    /// The node falls silent. Last.
    void Stop();
    /// Panics inside, to see what becomes of it.
    void Panic();

    /// @returns frames and datagrams dropped because their sender is none of the nodes
    uint64_t GetUnknownSenders() const;

    /// @returns what the last input left behind
    const Report& GetReport() const
    {
        return m_report;
    }

    /**
     * Takes what followed from the inputs since the last call.
     * @param effects filled
     */
    void Take(Effects& effects);

  private:
    /**
     * Calls into the core; its errors become MutexErrors.
     * @tparam F the type of the call
     * @param what is being done
     * @param call the call
     */
    template <typename F>
    void Call(const char* what, F call);

    uint32_t m_id;                             //!< the node
    Report m_report{};                         //!< of the last input
    rust::Box<manet_mutex::Station> m_station; //!< the station
};

/**
 * @param settings of a node
 * @returns what kind of protocol it runs
 * @throws MutexError if a setting is invalid
 */
MutexNature MutexNatureOf(const manet_mutex::Settings& settings);

/// Sends the core's log records to NS_LOG, as far as the component ManetMutexCore is enabled.
void MutexConnectLog();

} // namespace ns3

#endif // MUTEX_CORE_H
