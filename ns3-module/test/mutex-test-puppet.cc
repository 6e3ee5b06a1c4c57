/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mutex-test-puppet.h"

#include "ns3/node.h"
#include "ns3/simulator.h"

namespace ns3
{

namespace
{

constexpr uint16_t ETHERTYPE = 0x88B5; //!< of local experiments
constexpr uint8_t MY_EPOCH = 2;        //!< any will do
// Kinds of frames, states of an entry, and what follows its state.
constexpr uint8_t HELLO = 0;
constexpr uint8_t DATA = 1;
constexpr uint8_t HEARD = 1;
constexpr uint8_t UP = 3;
constexpr uint8_t THEIRS = 0x20;
constexpr uint8_t FINAL = 0x40;

/// @param value a number @param [out] bytes where it is appended, seven bits at a time
void
Append(uint64_t value, MutexTestPuppet::Bytes& bytes)
{
    for (; value >= 0x80; value >>= 7)
    {
        bytes.push_back(0x80 | (value & 0x7f));
    }
    bytes.push_back(value);
}

/// @param bytes a frame @param [in,out] at where in it @returns the number there
uint64_t
Read(const MutexTestPuppet::Bytes& bytes, std::size_t& at)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7)
    {
        const auto byte = bytes.at(at++);
        value |= uint64_t(byte & 0x7f) << shift;
        if (byte < 0x80)
        {
            return value;
        }
    }
}

} // namespace

MutexTestPuppet::MutexTestPuppet(Ptr<NetDevice> device, uint8_t id, uint8_t peer)
    : m_device(device),
      m_id(id),
      m_peer(peer)
{
    device->GetNode()->RegisterProtocolHandler(MakeCallback(&MutexTestPuppet::Receive, this),
                                               ETHERTYPE,
                                               device,
                                               false);
}

MutexTestPuppet::~MutexTestPuppet() = default;

void
MutexTestPuppet::Start()
{
    Simulator::Schedule(MilliSeconds(10), &MutexTestPuppet::Hello, this);
}

void
MutexTestPuppet::Send(const Bytes& frame)
{
    m_device->Send(Create<Packet>(frame.data(), frame.size()), m_device->GetBroadcast(), ETHERTYPE);
}

void
MutexTestPuppet::Say(const Bytes& message)
{
    Bytes frame{1, 1, DATA, m_id, m_peer, MY_EPOCH};
    Append(m_theirs, frame);
    frame.insert(frame.end(), {m_sequence++, 0, 0});
    frame.insert(frame.end(), message.begin(), message.end());
    Send(frame);
}

void
MutexTestPuppet::Hello()
{
    Bytes frame{1, 1, HELLO, m_id, ++m_number, 1, m_peer};
    if (m_heard)
    {
        frame.insert(frame.end(), {UP | THEIRS, MY_EPOCH});
        Append(m_theirs, frame);
        frame.push_back(0); // nothing acknowledged
    }
    else
    {
        frame.insert(frame.end(), {HEARD, MY_EPOCH});
    }
    Send(frame);
    Simulator::Schedule(MilliSeconds(500), &MutexTestPuppet::Hello, this);
}

void
MutexTestPuppet::Receive(Ptr<NetDevice>,
                         Ptr<const Packet> packet,
                         uint16_t,
                         const Address&,
                         const Address&,
                         NetDevice::PacketType)
{
    const auto bytes = BytesOf(packet);
    if (bytes.at(2) != HELLO || bytes.at(3) != m_peer)
    {
        return;
    }
    std::size_t at = 4;
    Read(bytes, at); // the hello's number
    for (auto entries = Read(bytes, at); entries > 0; --entries)
    {
        const auto peer = Read(bytes, at);
        const auto state = Read(bytes, at);
        const auto mine = Read(bytes, at);
        const int more = ((state & THEIRS) ? 1 : 0) + ((state & UP) == UP ? 1 : 0) +
                         ((state & FINAL) ? 3 : 0);
        for (int i = 0; i < more; ++i)
        {
            Read(bytes, at);
        }
        if (peer == m_id)
        {
            m_heard = true;
            m_theirs = mine;
        }
    }
}

MutexTestPuppet::Bytes
MutexTestPuppet::BytesOf(Ptr<const Packet> packet)
{
    Bytes bytes(packet->GetSize());
    packet->CopyData(bytes.data(), bytes.size());
    return bytes;
}

} // namespace ns3
