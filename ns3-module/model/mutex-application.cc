/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mutex-application.h"

#include "mutex-application-core.h"
#include "mutex-radio.h"
#include "mutex-socket.h"

#include "ns3/log.h"
#include "ns3/mobility-model.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/wifi-net-device.h"

#include <algorithm>
#include <array>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MutexApplication");

MutexApplication::MutexApplication()
    : m_seeds(CreateObject<UniformRandomVariable>()),
      m_choice(CreateObject<UniformRandomVariable>())
{
    NS_LOG_FUNCTION(this);
}

MutexApplication::~MutexApplication()
{
    NS_LOG_FUNCTION(this);
}

void
MutexApplication::DoDispose()
{
    NS_LOG_FUNCTION(this);
    // The end of the simulation is no crash.
    Halt();
    m_device = nullptr;
    m_thinkTime = nullptr;
    m_csTime = nullptr;
    m_seeds = nullptr;
    m_choice = nullptr;
    m_group = nullptr;
    m_units = nullptr;
    m_priority = nullptr;
    m_checker.reset();
    Application::DoDispose();
}

template <typename F>
void
MutexApplication::Input(F input)
{
    // Some may also be left from a time when a sink threw.
    const bool waits = m_busy || !m_inputs.empty();
    if (waits)
    {
        m_inputs.push_back(std::move(input));
    }
    if (m_busy)
    {
        return;
    }
    // Cleared also if a sink throws.
    struct Busy
    {
        explicit Busy(bool& flag)
            : m_flag(flag)
        {
            m_flag = true;
        }

        ~Busy()
        {
            m_flag = false;
        }

        bool& m_flag;
    } busy(m_busy);

    if (!waits)
    {
        Handle(input);
    }
    while (m_core && !m_inputs.empty())
    {
        const auto next = std::move(m_inputs.front());
        m_inputs.pop_front();
        Handle(next);
    }
}

template <typename F>
void
MutexApplication::Handle(const F& input)
{
    if (!m_core)
    {
        return;
    }
    input(*m_core);
    // First: a node must go on even if a sink throws, or asks for something that is refused.
    PlanWake();
    if (m_core->machine.GetReport().effects)
    {
        m_core->machine.Take(m_core->effects);
        CarryOut();
    }
}

void
MutexApplication::StartApplication()
{
    NS_LOG_FUNCTION(this);
    MutexConnectLog();
    CheckTimes();
    if (m_seed == 0)
    {
        // 2^53: all that a double can hold.
        m_seed = static_cast<uint64_t>(m_seeds->GetValue(1, 9007199254740992.0));
    }
    m_core = std::make_unique<Core>(*this);
    if (m_checker)
    {
        m_core->machine.Watch(*m_checker);
    }
    OpenChannel();
    m_startTrace(m_id, m_life);
    Input([](Core& core) { core.machine.Start(); });
    if (auto mobility = GetNode()->GetObject<MobilityModel>())
    {
        mobility->TraceConnectWithoutContext("CourseChange",
                                             MakeCallback(&MutexApplication::CourseChanged, this));
        CourseChanged(mobility);
    }
    if (m_automatic)
    {
        Think(true);
    }
}

void
MutexApplication::StopApplication()
{
    NS_LOG_FUNCTION(this);
    const bool ran = m_core != nullptr;
    if (ran)
    {
        m_core->machine.Stop();
    }
    Halt();
    if (ran)
    {
        m_stopTrace(m_id, m_life);
    }
}

void
MutexApplication::Halt()
{
    for (auto event : {&m_wake, &m_next, &m_motion})
    {
        event->Cancel();
    }
    m_wakeAt.reset();
    auto node = GetNode();
    if (auto mobility = node ? node->GetObject<MobilityModel>() : nullptr)
    {
        const auto callback = MakeCallback(&MutexApplication::CourseChanged, this);
        mobility->TraceDisconnectWithoutContext("CourseChange", callback);
    }
    if (m_channel)
    {
        m_channel->Close();
        m_channel = nullptr;
    }
    m_inputs.clear();
    m_unknownPeers = GetUnknownPeers();
    m_core.reset();
    m_state = IDLE;
}

void
MutexApplication::OpenChannel()
{
    const auto receive = MakeCallback(&MutexApplication::Receive, this);
    m_routed = GetNature().routed;
    if (!m_routed)
    {
        const auto sent = MakeCallback(&MutexApplication::Sent, this);
        m_channel = Create<MutexRadio>(FindDevice(), receive, sent);
        m_known.reset();
        return;
    }
    m_channel = Create<MutexSocket>(GetNode(), receive);
    if (m_addresses.size() != m_population)
    {
        throw MutexError("node " + std::to_string(m_id) + " does not know the others: " +
                         "assign IPv4 addresses before MutexHelper::Install, or call SetAddresses");
    }
}

Ptr<NetDevice>
MutexApplication::FindDevice() const
{
    if (m_device)
    {
        return m_device;
    }
    Ptr<NetDevice> found;
    for (uint32_t i = 0; i < GetNode()->GetNDevices(); ++i)
    {
        auto device = GetNode()->GetDevice(i);
        if (DynamicCast<WifiNetDevice>(device))
        {
            return device;
        }
        if (!found && device->IsBroadcast())
        {
            found = device;
        }
    }
    if (!found)
    {
        throw MutexError("node " + std::to_string(GetNode()->GetId()) +
                         " has no device that can broadcast: install a Wi-Fi device before the "
                         "application starts");
    }
    return found;
}

void
MutexApplication::CarryOut()
{
    using manet_mutex::Kind;
    // A sink may stop the application: what it was about to do is then void.
    auto effects = std::move(m_core->effects);
    for (const auto& effect : effects.list)
    {
        if (!m_core)
        {
            return;
        }
        const auto label = [&] { return std::string(effect.label); };
        const auto message = [&] { return MutexMessage{effect.peer, label(), effect.size, false}; };
        switch (effect.kind)
        {
        case Kind::Frame:
            Transmit(Create<Packet>(effects.bytes.data() + effect.start, effect.size),
                     label(),
                     effect.peer,
                     effect.number);
            break;
        case Kind::Enter:
            Enter({static_cast<MutexDemand::Kind>(effect.wish.kind),
                   effect.wish.resource,
                   effect.wish.units,
                   effect.wish.priority});
            break;
        case Kind::Demoted:
            Demote();
            break;
        case Kind::LinkUp:
            m_linkUpTrace(m_id,
                          effect.peer,
                          effect.flag ? MutexRole::MOVING : MutexRole::STATIC);
            break;
        case Kind::LinkDown:
            m_linkDownTrace(m_id, effect.peer, label());
            break;
        case Kind::Sent:
            m_txTrace(m_id, {effect.peer, label(), effect.size, effect.flag});
            break;
        case Kind::Received:
            if (!m_rxTrace.IsEmpty())
            {
                m_rxTrace(m_id, message());
            }
            break;
        case Kind::Token:
            m_tokenTrace(m_id, effect.peer);
            break;
        case Kind::Towards:
            m_towardsTrace(m_id, effect.peer);
            break;
        case Kind::Doubt:
            m_doubtTrace(m_id, message(), MutexDoubt::OPEN);
            break;
        case Kind::Resolved:
            m_doubtTrace(m_id,
                         message(),
                         effect.flag ? MutexDoubt::DELIVERED : MutexDoubt::RETURNED);
            break;
        case Kind::Reach:
            m_reachTrace(m_id, effect.peer, effect.flag);
            break;
        case Kind::Broken:
            if (m_brokenTrace.IsEmpty())
            {
                std::ostringstream text;
                text << "node " << m_id << " at " << Simulator::Now().As(Time::S) << ": "
                     << label();
                throw MutexError(text.str());
            }
            m_brokenTrace(m_id, label());
            break;
        }
    }
    if (m_core)
    {
        m_core->effects = std::move(effects);
    }
}

void
MutexApplication::PlanWake()
{
    const auto due = m_core->machine.GetReport().due;
    if (m_wakeAt == due)
    {
        return;
    }
    m_wake.Cancel();
    m_wakeAt = due;
    if (due != manet_mutex::never())
    {
        const auto delay = NanoSeconds(due) - Simulator::Now();
        m_wake = Simulator::Schedule(std::max(delay, Time(0)), &MutexApplication::Wake, this);
    }
}

void
MutexApplication::Wake()
{
    m_wakeAt.reset();
    Input([](Core& core) { core.machine.Wake(); });
}

void
MutexApplication::Receive(Ptr<const Packet> frame, const Address& from, double dbm)
{
    // On the stack, where all nodes receive: it stays in the processor's cache.
    std::array<uint8_t, 512> small;
    std::vector<uint8_t> large;
    const std::size_t size = frame->GetSize();
    auto bytes = small.data();
    if (size > small.size())
    {
        large.resize(size);
        bytes = large.data();
    }
    frame->CopyData(bytes, size);
    const auto receive = [this, dbm](Core& core,
                                     const uint8_t* bytes,
                                     std::size_t size,
                                     const Address& from) {
        if (m_routed)
        {
            core.machine.ReceiveDatagram(bytes, size);
            return;
        }
        core.machine.Receive(bytes, size, dbm);
        const auto sender = core.machine.GetReport().sender;
        if (sender >= m_known.size() || !m_known[sender])
        {
            Learn(sender, from);
        }
    };
    if (m_busy || !m_inputs.empty())
    {
        std::vector<uint8_t> kept(bytes, bytes + size);
        Input([receive, kept, from](Core& core) {
            receive(core, kept.data(), kept.size(), from);
        });
        return;
    }
    Input([&](Core& core) { receive(core, bytes, size, from); });
}

void
MutexApplication::Learn(uint32_t id, const Address& address)
{
    // Nobody, or none of the nodes.
    if (id >= m_population)
    {
        return;
    }
    m_addresses[id] = address;
    if (id < m_known.size())
    {
        m_known[id] = true;
    }
}

void
MutexApplication::Sent(uint64_t number, bool ok)
{
    if (!ok)
    {
        // Perhaps a node has another address by now.
        m_known.reset();
    }
    Input([=](Core& core) { core.machine.Sent(number, ok); });
}

void
MutexApplication::Transmit(Ptr<Packet> frame,
                           const std::string& kind,
                           uint32_t peer,
                           uint64_t number)
{
    if (peer == manet_mutex::everybody())
    {
        m_frameTrace(m_id, frame, kind);
        m_channel->Broadcast(frame);
        return;
    }
    const auto address = m_addresses.find(peer);
    if (address == m_addresses.end())
    {
        NS_LOG_WARN("node " << m_id << " drops a frame for node " << peer
                            << ", whose address it does not know");
        m_unknownPeers++;
        if (number != 0)
        {
            // The core waits for the outcome. Later, so that it does not try again at once.
            Simulator::Schedule(MilliSeconds(1), &MutexApplication::Sent, this, number, false);
        }
        return;
    }
    m_frameTrace(m_id, frame, kind);
    m_channel->Send(frame, address->second, number);
}

void
MutexApplication::Request(const MutexDemand& demand)
{
    NS_LOG_FUNCTION(this << demand);
    if (!m_core)
    {
        throw MutexError("node " + std::to_string(m_id) + " does not run: request between its " +
                         "start and its stop");
    }
    Input([this, demand](Core& core) {
        core.machine.Request(demand);
        m_state = WAITING;
        m_since = Simulator::Now();
        m_requestTrace(m_id, demand);
    });
}

void
MutexApplication::Release()
{
    NS_LOG_FUNCTION(this);
    if (!m_core)
    {
        throw MutexError("node " + std::to_string(m_id) + " does not run: nothing to release");
    }
    Input([this](Core& core) {
        core.machine.Release();
        const auto inside = Simulator::Now() - m_since;
        m_state = IDLE;
        m_next.Cancel();
        m_releaseTrace(m_id, inside);
        if (m_automatic)
        {
            Think(false);
        }
    });
}

void
MutexApplication::Enter(const MutexDemand& demand)
{
    const auto waited = Simulator::Now() - m_since;
    m_state = INSIDE;
    m_since = Simulator::Now();
    if (m_automatic)
    {
        m_next = Simulator::Schedule(Seconds(m_csTime->GetValue()),
                                     &MutexApplication::Release,
                                     this);
    }
    m_enterTrace(m_id, demand, waited);
}

void
MutexApplication::Demote()
{
    m_state = WAITING;
    m_since = Simulator::Now();
    m_next.Cancel();
    m_demoteTrace(m_id);
}

void
MutexApplication::CourseChanged(Ptr<const MobilityModel>)
{
    // At a waypoint a node stops and goes on at the same instant: look when that is over.
    if (m_motion.IsExpired())
    {
        m_motion = Simulator::ScheduleNow(&MutexApplication::ReportMotion, this);
    }
}

void
MutexApplication::ReportMotion()
{
    const auto mobility = GetNode()->GetObject<MobilityModel>();
    const auto velocity = mobility->GetVelocity();
    const bool moving = velocity.GetLength() > 0;
    m_motionTrace(m_id, mobility->GetPosition(), velocity);
    Input([=](Core& core) { core.machine.Move(moving); });
}

MutexApplication::State
MutexApplication::GetState() const
{
    return m_state;
}

uint32_t
MutexApplication::GetId() const
{
    return m_id;
}

uint32_t
MutexApplication::GetPopulation() const
{
    return m_population;
}

uint64_t
MutexApplication::GetUnknownPeers() const
{
    return m_unknownPeers + (m_core ? m_core->machine.GetUnknownSenders() : 0);
}

uint16_t
MutexApplication::GetLife() const
{
    return m_life;
}

std::string
MutexApplication::GetProtocols()
{
    std::string names;
    for (const auto& name : manet_mutex::protocol_names())
    {
        names += (names.empty() ? "" : ", ") + std::string(name);
    }
    return names;
}

MutexNature
MutexApplication::GetNature() const
{
    return MutexNatureOf(Core::SettingsOf(*this));
}

void
MutexApplication::SetAddresses(const std::vector<Ipv4Address>& addresses)
{
    m_addresses.clear();
    for (uint32_t id = 0; id < addresses.size(); ++id)
    {
        m_addresses[id] = addresses[id];
    }
}

void
MutexApplication::Validate() const
{
    CheckTimes();
    Core core(*this);
}

std::shared_ptr<MutexChecker>
MutexApplication::MakeChecker() const
{
    return std::make_shared<MutexChecker>(Core::SettingsOf(*this));
}

void
MutexApplication::SetChecker(std::shared_ptr<MutexChecker> checker)
{
    if (m_core)
    {
        throw MutexError("node " + std::to_string(m_id) +
                         " runs already: watch an application before it starts");
    }
    m_checker = std::move(checker);
}

void
MutexApplication::Panic()
{
    Input([](Core& core) { core.machine.Panic(); });
}

} // namespace ns3
