/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_BEACON_H
#define SCENARIO_BEACON_H

#include "ns3/mutex-radio.h"
#include "ns3/net-device-container.h"
#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace scenario
{

/// Says hello now and then, hears those of others with their power, and does nothing else: what a
/// run costs without a protocol.
class Beacon
{
  public:
    /**
     * @param device to say it with
     * @param bytes of each hello
     * @param interval between two
     * @param stream of the jitter
     */
    Beacon(ns3::Ptr<ns3::NetDevice> device, uint32_t bytes, ns3::Time interval, int64_t stream);

  private:
    void Say();  //!< sends one
    void Plan(); //!< plans the next
    /// Takes notice of one. @param frame the hello @param from its sender @param dbm its power
    void Hear(ns3::Ptr<const ns3::Packet> frame, const ns3::Address& from, double dbm);
    /// Never called: hellos are for all. @param number of the frame @param ok whether it arrived
    void Sent(uint64_t number, bool ok);

    uint32_t m_node;                                  //!< whose
    ns3::MutexRadio m_radio;                          //!< to send with
    double m_power{0};                                //!< of the last one heard
    uint32_t m_bytes;                                 //!< of a hello
    ns3::Time m_interval;                             //!< between two
    ns3::Ptr<ns3::UniformRandomVariable> m_variation; //!< of the interval
};

/// @param devices to beacon with @param bytes of a hello @param interval between two @returns them
std::vector<std::unique_ptr<Beacon>> MakeBeacons(const ns3::NetDeviceContainer& devices,
                                                 uint32_t bytes,
                                                 ns3::Time interval);

} // namespace scenario

#endif // SCENARIO_BEACON_H
