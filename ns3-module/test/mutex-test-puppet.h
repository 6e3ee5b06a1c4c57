/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MUTEX_TEST_PUPPET_H
#define MUTEX_TEST_PUPPET_H

#include "ns3/net-device.h"
#include "ns3/packet.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup manet-mutex-tests
 * A node made by hand, without a core: it keeps a link to one station up by saying hello, and
 * says on it whatever it is told to. tests/vectors/frames.txt shows the frames.
 */
class MutexTestPuppet
{
  public:
    /// Bytes of a frame or a message.
    using Bytes = std::vector<uint8_t>;

    /**
     * @param device sends and receives
     * @param id the puppet's name, below 128
     * @param peer the station's name, below 128
     */
    MutexTestPuppet(Ptr<NetDevice> device, uint8_t id, uint8_t peer);
    ~MutexTestPuppet();

    MutexTestPuppet(const MutexTestPuppet&) = delete;
    MutexTestPuppet& operator=(const MutexTestPuppet&) = delete;

    /// Begins to say hello.
    void Start();
    /// Sends anything to everybody. @param frame the bytes
    void Send(const Bytes& frame);
    /// Sends a message on the link. @param message the bytes
    void Say(const Bytes& message);

    /**
     * @param packet a frame
     * @returns its bytes
     */
    static Bytes BytesOf(Ptr<const Packet> packet);

  private:
    void Hello(); //!< says hello, again and again
    /// A hello tells the station's epoch.
    void Receive(Ptr<NetDevice>,
                 Ptr<const Packet> packet,
                 uint16_t,
                 const Address&,
                 const Address&,
                 NetDevice::PacketType);

    Ptr<NetDevice> m_device;  //!< sends and receives
    uint8_t m_id;             //!< the puppet's name
    uint8_t m_peer;           //!< the station's
    uint8_t m_number{0};      //!< of the last hello
    uint8_t m_sequence{0};    //!< of the next message
    bool m_heard{false};      //!< the station lists the puppet
    uint64_t m_theirs{0};     //!< the station's epoch
};

} // namespace ns3

#endif // MUTEX_TEST_PUPPET_H
