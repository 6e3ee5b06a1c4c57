/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MUTEX_EVENT_LOG_H
#define MUTEX_EVENT_LOG_H

#include "ns3/application-container.h"
#include "ns3/mutex-types.h"
#include "ns3/vector.h"

#include <cstdint>
#include <fstream>
#include <string>

namespace ns3
{

/**
 * @ingroup manet-mutex
 * Writes all that happens in a run to a file, as JSON lines in the order of time:
 *
 *     {"t":1.250000000,"node":3,"event":"enter"}
 *
 * Events are request, enter, release, demote, link_up, link_down, send, recv, token, towards,
 * move, stop, doubt and resolved, with peer, kind, bytes, resource, units, priority, role, cause, outcome and
 * x, y, vx, vy where they apply. The same run writes the same bytes. The core's simulator reads
 * such files as scripts.
 */
class MutexEventLog
{
  public:
    /**
     * Opens a file.
     * @param path its name
     * @throws MutexError if it cannot be written
     */
    explicit MutexEventLog(const std::string& path);
    ~MutexEventLog();

    MutexEventLog(const MutexEventLog&) = delete;
    MutexEventLog& operator=(const MutexEventLog&) = delete;

    /**
     * Writes what happens at these nodes. The log must outlive the run.
     * @param applications MutexApplications
     */
    void Watch(const ApplicationContainer& applications);

    /**
     * Ends the file.
     * @throws MutexError if anything could not be written
     */
    void Close();

  private:
    /**
     * Begins a line.
     * @param node where
     * @param event what
     * @returns the file, for the fields that follow
     */
    std::ostream& Line(uint32_t node, const char* event);
    void End();                                                         //!< ends a line
    void Write(const MutexDemand& demand);                              //!< adds fields
    void Write(const MutexMessage& message);                            //!< adds fields
    void Request(uint32_t node, const MutexDemand& demand);             //!< sink
    void Enter(uint32_t node, const MutexDemand& demand, Time waited);  //!< sink
    void Release(uint32_t node, Time inside);                           //!< sink
    void Demote(uint32_t node);                                         //!< sink
    void LinkUp(uint32_t node, uint32_t peer, MutexRole role);          //!< sink
    void LinkDown(uint32_t node, uint32_t peer, const std::string& cause); //!< sink
    void Tx(uint32_t node, const MutexMessage& message);                //!< sink
    void Rx(uint32_t node, const MutexMessage& message);                //!< sink
    void TokenMoved(uint32_t node, uint32_t from);                      //!< sink
    void Towards(uint32_t node, uint32_t peer);                         //!< sink
    void Doubt(uint32_t node, const MutexMessage& message, MutexDoubt doubt); //!< sink
    void Motion(uint32_t node, const Vector& position, const Vector& velocity); //!< sink

    std::string m_path;   //!< the file's name
    std::ofstream m_file; //!< the file
};

} // namespace ns3

#endif // MUTEX_EVENT_LOG_H
