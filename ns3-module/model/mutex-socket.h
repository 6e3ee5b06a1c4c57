/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MUTEX_SOCKET_H
#define MUTEX_SOCKET_H

#include "mutex-channel.h"

#include "ns3/node.h"
#include "ns3/socket.h"

namespace ns3
{

/**
 * @ingroup manet-mutex
 * Datagrams to any node: UDP over IPv4 and whatever routing protocol the node has. Nothing is
 * known about a datagram after it was sent.
 */
class MutexSocket : public MutexChannel
{
  public:
    /// The UDP port.
    static constexpr uint16_t PORT = 8895;

    /**
     * Opens a socket.
     * @param node a node with an internet stack
     * @param received called for each datagram
     * @throws MutexError if the node has no internet stack, or the port is taken
     */
    MutexSocket(Ptr<Node> node, ReceiveCallback received);
    ~MutexSocket() override;

    void Close() override;
    void Broadcast(Ptr<Packet> frame) override;
    void Send(Ptr<Packet> frame, const Address& to, uint64_t number) override;

  private:
    /// @param socket has something
    void Read(Ptr<Socket> socket);

    Ptr<Socket> m_socket;       //!< null when closed
    ReceiveCallback m_received; //!< takes datagrams
};

} // namespace ns3

#endif // MUTEX_SOCKET_H
