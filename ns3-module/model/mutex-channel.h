/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MUTEX_CHANNEL_H
#define MUTEX_CHANNEL_H

#include "ns3/address.h"
#include "ns3/callback.h"
#include "ns3/packet.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup manet-mutex
 * What carries the frames of a node: its radio, or IP and a routing protocol.
 */
class MutexChannel : public SimpleRefCount<MutexChannel>
{
  public:
    /// A frame, its sender's address and its power in dBm.
    using ReceiveCallback = Callback<void, Ptr<const Packet>, const Address&, double>;
    /// The number of a frame, and whether its receiver's radio confirmed it.
    using SentCallback = Callback<void, uint64_t, bool>;

    MutexChannel() = default;
    virtual ~MutexChannel() = default;

    MutexChannel(const MutexChannel&) = delete;
    MutexChannel& operator=(const MutexChannel&) = delete;

    /// Stops listening. Nothing is called any more.
    virtual void Close() = 0;

    /**
     * Sends a frame to all in range.
     * @param frame the frame
     */
    virtual void Broadcast(Ptr<Packet> frame) = 0;
    /**
     * Sends a frame to one node.
     * @param frame the frame
     * @param to its address
     * @param number names the frame in the outcome, where there is one
     */
    virtual void Send(Ptr<Packet> frame, const Address& to, uint64_t number) = 0;
};

} // namespace ns3

#endif // MUTEX_CHANNEL_H
