/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MUTEX_RADIO_H
#define MUTEX_RADIO_H

#include "mutex-channel.h"

#include "ns3/net-device.h"

#include <cstdint>
#include <memory>
#include <unordered_map>

namespace ns3
{

/**
 * @ingroup manet-mutex
 * What a node's link layer needs of a device: raw frames under an ethertype of its own, the power
 * with which they arrive, and the outcome of each that was for one node.
 *
 * A WifiNetDevice gives all of that: power from its station manager, which keeps that of the
 * last frame of every sender (a sink at MonitorSnifferRx would tell the same and cost a copy of
 * each frame); outcomes from the AckedMpdu and DroppedMpdu traces of its MAC. A dropped frame may
 * have arrived; the core knows that. Any other device (for tests and ideal channels) reports
 * neither: power is taken as 0 dBm and every frame as carried.
 */
class MutexRadio : public MutexChannel
{
  public:
    /// IEEE 802's ethertype for local experiments.
    static constexpr uint16_t ETHERTYPE = 0x88B5;

    /**
     * Opens a device.
     * @param device the device
     * @param received called for each frame
     * @param sent called for each frame for one node, perhaps before Send returns
     */
    MutexRadio(Ptr<NetDevice> device, ReceiveCallback received, SentCallback sent);
    ~MutexRadio() override;

    void Close() override;
    void Broadcast(Ptr<Packet> frame) override;
    void Send(Ptr<Packet> frame, const Address& to, uint64_t number) override;

  private:
    /// The power and outcomes of a Wi-Fi device, kept apart so that the header needs none of Wi-Fi.
    struct Wifi;

    /**
     * The device received a frame of our ethertype.
     * @param device the device
     * @param frame the frame
     * @param protocol the ethertype
     * @param from the sender
     * @param to the receiver
     * @param type how it was addressed
     */
    void HandleFrame(Ptr<NetDevice> device,
                     Ptr<const Packet> frame,
                     uint16_t protocol,
                     const Address& from,
                     const Address& to,
                     NetDevice::PacketType type);
    /**
     * The MAC is done with a frame, perhaps not one of ours.
     * @param uid the packet's
     * @param ok whether it was acknowledged
     */
    void Finish(uint64_t uid, bool ok);

    Ptr<NetDevice> m_device;                           //!< the device; null when closed
    ReceiveCallback m_received;                        //!< takes frames
    SentCallback m_sent;                               //!< takes outcomes
    std::unordered_map<uint64_t, uint64_t> m_underway; //!< packet uid to frame number
    std::unique_ptr<Wifi> m_wifi;                      //!< if it is one
};

} // namespace ns3

#endif // MUTEX_RADIO_H
