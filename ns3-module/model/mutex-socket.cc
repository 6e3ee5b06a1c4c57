/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mutex-socket.h"

#include "mutex-types.h"

#include "ns3/inet-socket-address.h"
#include "ns3/ipv4.h"
#include "ns3/log.h"
#include "ns3/udp-socket-factory.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MutexSocket");

MutexSocket::MutexSocket(Ptr<Node> node, ReceiveCallback received)
    : m_received(received)
{
    NS_LOG_FUNCTION(this << node);
    const auto name = "node " + std::to_string(node->GetId());
    if (!node->GetObject<Ipv4>())
    {
        throw MutexError(name + " has no internet stack, and this protocol needs routing: install "
                                "one with a routing protocol before the application starts");
    }
    m_socket = Socket::CreateSocket(node, UdpSocketFactory::GetTypeId());
    if (m_socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), PORT)) != 0)
    {
        m_socket = nullptr;
        throw MutexError(name + " uses UDP port " + std::to_string(PORT) +
                         " already: install one MutexApplication for each node");
    }
    m_socket->SetRecvCallback(MakeCallback(&MutexSocket::Read, this));
}

MutexSocket::~MutexSocket()
{
    Close();
}

void
MutexSocket::Close()
{
    if (m_socket)
    {
        m_socket->SetRecvCallback(MakeNullCallback<void, Ptr<Socket>>());
        m_socket->Close();
        m_socket = nullptr;
    }
}

void
MutexSocket::Broadcast(Ptr<Packet>)
{
    throw MutexError("a protocol over routing has nobody to broadcast to");
}

void
MutexSocket::Send(Ptr<Packet> frame, const Address& to, uint64_t)
{
    // Without a route it is lost: the transport above sends it again.
    m_socket->SendTo(frame, 0, InetSocketAddress(Ipv4Address::ConvertFrom(to), PORT));
}

void
MutexSocket::Read(Ptr<Socket> socket)
{
    Address from;
    // The application may stop in between.
    while (m_socket)
    {
        const auto datagram = socket->RecvFrom(from);
        if (!datagram)
        {
            return;
        }
        m_received(datagram, InetSocketAddress::ConvertFrom(from).GetIpv4(), 0);
    }
}

} // namespace ns3
