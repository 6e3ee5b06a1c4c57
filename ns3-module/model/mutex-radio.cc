/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mutex-radio.h"

#include "mutex-ns3-compat.h"
#include "mutex-types.h"

#include "ns3/ap-wifi-mac.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/sta-wifi-mac.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-remote-station-manager.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MutexRadio");

struct MutexRadio::Wifi
{
    MutexRadio* radio;                      //!< whose
    Ptr<WifiRemoteStationManager> stations; //!< tells power
    Ptr<WifiMac> mac;                       //!< tells outcomes

    void Connect()
    {
        mac->TraceConnectWithoutContext("AckedMpdu", MakeCallback(&Wifi::Acked, this));
        mac->TraceConnectWithoutContext("DroppedMpdu", MakeCallback(&Wifi::Dropped, this));
    }

    void Disconnect()
    {
        mac->TraceDisconnectWithoutContext("AckedMpdu", MakeCallback(&Wifi::Acked, this));
        mac->TraceDisconnectWithoutContext("DroppedMpdu", MakeCallback(&Wifi::Dropped, this));
    }

    double PowerOf(const Address& sender) const
    {
        return MutexPowerOf(stations->GetMostRecentRssi(Mac48Address::ConvertFrom(sender)));
    }

    void Acked(Ptr<const WifiMpdu> mpdu)
    {
        radio->Finish(mpdu->GetPacket()->GetUid(), true);
    }

    void Dropped(WifiMacDropReason, Ptr<const WifiMpdu> mpdu)
    {
        radio->Finish(mpdu->GetPacket()->GetUid(), false);
    }
};

MutexRadio::MutexRadio(Ptr<NetDevice> device, ReceiveCallback received, SentCallback sent)
    : m_device(device),
      m_received(received),
      m_sent(sent)
{
    NS_LOG_FUNCTION(this << device);
    if (auto wifi = DynamicCast<WifiNetDevice>(device))
    {
        if (DynamicCast<ApWifiMac>(wifi->GetMac()) || DynamicCast<StaWifiMac>(wifi->GetMac()))
        {
            throw MutexError("node " + std::to_string(device->GetNode()->GetId()) +
                             " is a station or an access point: neighbours talk to each other, so "
                             "give its device an ns3::AdhocWifiMac");
        }
        m_wifi.reset(new Wifi{this, wifi->GetRemoteStationManager(), wifi->GetMac()});
        m_wifi->Connect();
    }
    device->GetNode()->RegisterProtocolHandler(MakeCallback(&MutexRadio::HandleFrame, this),
                                               ETHERTYPE,
                                               device,
                                               false);
}

MutexRadio::~MutexRadio()
{
    Close();
}

void
MutexRadio::Close()
{
    NS_LOG_FUNCTION(this);
    if (!m_device)
    {
        return;
    }
    if (m_wifi)
    {
        m_wifi->Disconnect();
        m_wifi.reset();
    }
    if (auto node = m_device->GetNode())
    {
        node->UnregisterProtocolHandler(MakeCallback(&MutexRadio::HandleFrame, this));
    }
    m_device = nullptr;
    m_underway.clear();
}

void
MutexRadio::Broadcast(Ptr<Packet> frame)
{
    m_device->Send(frame, m_device->GetBroadcast(), ETHERTYPE);
}

void
MutexRadio::Send(Ptr<Packet> frame, const Address& to, uint64_t number)
{
    if (m_wifi)
    {
        // Noted first: a full queue drops the frame before Send returns.
        m_underway[frame->GetUid()] = number;
        m_device->Send(frame, to, ETHERTYPE);
        return;
    }
    const bool ok = m_device->Send(frame, to, ETHERTYPE);
    m_sent(number, ok);
}

void
MutexRadio::HandleFrame(Ptr<NetDevice>,
                        Ptr<const Packet> frame,
                        uint16_t,
                        const Address& from,
                        const Address&,
                        NetDevice::PacketType)
{
    m_received(frame, from, m_wifi ? m_wifi->PowerOf(from) : 0.0);
}

void
MutexRadio::Finish(uint64_t uid, bool ok)
{
    const auto found = m_underway.find(uid);
    if (found != m_underway.end())
    {
        const auto number = found->second;
        m_underway.erase(found);
        m_sent(number, ok);
    }
}

} // namespace ns3
