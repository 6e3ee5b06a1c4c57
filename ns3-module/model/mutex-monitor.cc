/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mutex-monitor.h"

#include "mutex-application.h"
#include "mutex-core.h"

#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-phy.h"
#include "ns3/wifi-psdu.h"

#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MutexMonitor");
NS_OBJECT_ENSURE_REGISTERED(MutexMonitor);

/// Listens at one radio.
struct MutexMonitor::Ear
{
    MutexMonitor* monitor; //!< whose
    Ptr<WifiPhy> phy;      //!< where

    void Transmitted(WifiConstPsduMap psdus, WifiTxVector vector, double)
    {
        const auto duration = WifiPhy::CalculateTxDuration(psdus, vector, phy->GetPhyBand());
        for (const auto& [station, psdu] : psdus)
        {
            auto& traffic = monitor->m_traffic[MutexPartyOf(*psdu)];
            traffic.frames++;
            traffic.bytes += psdu->GetSize();
            traffic.airtime += duration;
            if (!psdu->GetAddr1().IsBroadcast())
            {
                continue;
            }
            if (monitor->m_hellos.erase(psdu->GetPayload(0)->GetUid()) > 0)
            {
                monitor->m_helloAirtime += duration;
            }
        }
    }
};

TypeId
MutexMonitor::GetTypeId()
{
    static TypeId tid = TypeId("ns3::MutexMonitor")
                            .SetParent<Object>()
                            .SetGroupName("ManetMutex")
                            .AddConstructor<MutexMonitor>()
                            .AddTraceSource("Violation",
                                            "A promise was broken.",
                                            MakeTraceSourceAccessor(&MutexMonitor::m_violationTrace),
                                            "ns3::MutexMonitor::ViolationTracedCallback")
                            .AddTraceSource("Company",
                                            "Under a local protocol, two nodes without a link were "
                                            "inside together until now.",
                                            MakeTraceSourceAccessor(&MutexMonitor::m_companyTrace),
                                            "ns3::MutexMonitor::CompanyTracedCallback");
    return tid;
}

MutexMonitor::MutexMonitor() = default;
MutexMonitor::~MutexMonitor() = default;

void
MutexMonitor::DoDispose()
{
    m_ears.clear();
    m_watched.clear();
    m_checker.reset();
    Object::DoDispose();
}

void
MutexMonitor::Watch(const ApplicationContainer& applications)
{
    NS_LOG_FUNCTION(this);
    if (m_checker || applications.GetN() == 0)
    {
        throw MutexError(m_checker ? "a monitor watches one run: make another one"
                                   : "there is nothing to watch: install the applications first");
    }
    std::vector<Ptr<MutexApplication>> all;
    for (auto i = applications.Begin(); i != applications.End(); ++i)
    {
        all.push_back(DynamicCast<MutexApplication>(*i));
        if (!all.back() || all.back()->GetPopulation() != applications.GetN())
        {
            throw MutexError("a monitor watches all MutexApplications of a run and no others: "
                             "give it what MutexHelper::Install returned");
        }
    }
    m_checker = all.front()->MakeChecker();
    const auto nature = all.front()->GetNature();
    m_local = nature.local;
    m_routed = nature.routed;
    m_room = std::make_unique<MutexRoom>(
        m_local,
        nature.most.units,
        [this](uint32_t a, uint32_t b, Time time) { m_companyTrace(a, b, time); });
    m_entries.resize(all.size());
    m_up.assign(all.size(), std::vector<bool>(all.size()));
    for (const auto& application : all)
    {
        Connect(application);
        WatchRadio(application);
    }
}

void
MutexMonitor::WatchRestart(Ptr<MutexApplication> application)
{
    NS_LOG_FUNCTION(this << application);
    if (!m_checker || !application)
    {
        throw MutexError(m_checker ? "there is no application to watch"
                                   : "watch the first life of all nodes first, by Watch");
    }
    const auto name = "node " + std::to_string(application->GetId());
    if (application->GetPopulation() != m_entries.size())
    {
        throw MutexError(name + " belongs to another run: its Population is not " +
                         std::to_string(m_entries.size()));
    }
    for (const auto& earlier : m_watched)
    {
        if (earlier->GetId() == application->GetId() &&
            earlier->GetLife() >= application->GetLife())
        {
            throw MutexError(name + " has been watched in life " +
                             std::to_string(earlier->GetLife()) +
                             ": set a larger Life for each restart");
        }
    }
    // Its radio is watched since the first life.
    Connect(application);
}

void
MutexMonitor::Connect(Ptr<MutexApplication> application)
{
    application->SetChecker(m_checker);
    m_watched.push_back(application);
    const auto connect = [&](const char* name, const CallbackBase& sink) {
        application->TraceConnectWithoutContext(name, sink);
    };
    connect("Request", MakeCallback(&MutexMonitor::Request, this));
    connect("Enter", MakeCallback(&MutexMonitor::Enter, this));
    connect("Release", MakeCallback(&MutexMonitor::Release, this));
    connect("Demote", MakeCallback(&MutexMonitor::Demote, this));
    connect("LinkUp", MakeCallback(&MutexMonitor::LinkUp, this));
    connect("LinkDown", MakeCallback(&MutexMonitor::LinkDown, this));
    connect("Tx", MakeCallback(&MutexMonitor::Tx, this));
    connect("TokenMoved", MakeCallback(&MutexMonitor::TokenMoved, this));
    connect("Doubt", MakeCallback(&MutexMonitor::Doubt, this));
    connect("FrameTx", MakeCallback(&MutexMonitor::FrameTx, this));
    connect("Broken", MakeCallback(&MutexMonitor::Broken, this));
    connect("Start", MakeCallback(&MutexMonitor::Start, this));
    connect("Stop", MakeCallback(&MutexMonitor::Stop, this));
}

void
MutexMonitor::WatchRadio(Ptr<MutexApplication> application)
{
    auto node = application->GetNode();
    for (uint32_t i = 0; i < node->GetNDevices(); ++i)
    {
        if (auto device = DynamicCast<WifiNetDevice>(node->GetDevice(i)))
        {
            m_ears.emplace_back(new Ear{this, device->GetPhy()});
            device->GetPhy()->TraceConnectWithoutContext(
                "PhyTxPsduBegin",
                MakeCallback(&Ear::Transmitted, m_ears.back().get()));
        }
    }
}

void
MutexMonitor::Restart()
{
    m_requests = m_waiting.size();
    m_waits.clear();
    m_entries.assign(m_entries.size(), 0);
    m_messages.clear();
    m_frames.clear();
    m_causes.clear();
    m_helloBytes = 0;
    m_traffic.clear();
    m_helloAirtime = Time(0);
    m_linkUps = 0;
    m_linkDowns = 0;
    m_doubts -= m_resolved;
    m_resolved = 0;
    m_tokenMoves = 0;
    m_demotions = 0;
    m_room->Restart();
}

void
MutexMonitor::Report(const std::string& what)
{
    std::ostringstream text;
    text << "at " << Simulator::Now().As(Time::S) << ": " << what;
    NS_LOG_ERROR(text.str());
    m_violations++;
    if (m_firstViolation.empty())
    {
        m_firstViolation = text.str();
    }
    m_violationTrace(text.str());
}

void
MutexMonitor::Request(uint32_t node, const MutexDemand&)
{
    m_requests++;
    m_waiting[node] = Simulator::Now();
}

void
MutexMonitor::Enter(uint32_t node, const MutexDemand& demand, Time waited)
{
    std::ostringstream text;
    if (m_waiting.erase(node) == 0)
    {
        text << "node " << node << " enters without having asked";
        Report(text.str());
    }
    const auto conflict = m_room->Enter(node, demand);
    if (!conflict.empty())
    {
        Report(conflict);
    }
    m_entries.at(node)++;
    m_waits.push_back(waited.GetSeconds());
}

void
MutexMonitor::Release(uint32_t node, Time)
{
    m_room->Leave(node);
}

void
MutexMonitor::Demote(uint32_t node)
{
    m_demotions++;
    m_room->Leave(node);
    m_waiting[node] = Simulator::Now();
}

void
MutexMonitor::LinkUp(uint32_t node, uint32_t peer, MutexRole role)
{
    m_linkUps++;
    SetUp(node, peer, true);
    if (m_local && role == MutexRole::MOVING)
    {
        m_room->Meet(node, peer);
        // The node is told of the link and steps back in one go, which this sink interrupts.
        Simulator::ScheduleNow(&MutexMonitor::CheckMeeting, this, node, peer);
    }
}

void
MutexMonitor::SetUp(uint32_t node, uint32_t peer, bool up)
{
    // A peer may be none of those that are watched.
    if (peer < m_up.size())
    {
        m_up.at(node)[peer] = up;
    }
}

void
MutexMonitor::CheckMeeting(uint32_t a, uint32_t b)
{
    const auto conflict = m_room->Check(a, b);
    if (!conflict.empty())
    {
        Report(conflict + " although they have met");
    }
}

void
MutexMonitor::LinkDown(uint32_t node, uint32_t peer, const std::string& cause)
{
    m_linkDowns++;
    m_causes[cause]++;
    SetUp(node, peer, false);
    m_room->Part(node, peer);
}

void
MutexMonitor::Tx(uint32_t node, const MutexMessage& message)
{
    m_messages[message.kind]++;
    if (message.token && m_holders.erase(node) == 0)
    {
        Report("node " + std::to_string(node) + " sends a token that it does not have");
    }
}

void
MutexMonitor::TokenMoved(uint32_t node, uint32_t from)
{
    if (from != node)
    {
        m_tokenMoves++;
    }
    m_holders.insert(node);
    if (m_holders.size() > 1)
    {
        Report("there are two tokens, one of them at node " + std::to_string(node));
    }
    else if (m_lostTokens > 0)
    {
        Report("there is a token at node " + std::to_string(node) +
               ", although it was lost with a node that stopped");
    }
}

void
MutexMonitor::Doubt(uint32_t node, const MutexMessage&, MutexDoubt doubt)
{
    const bool opens = doubt == MutexDoubt::OPEN;
    (opens ? m_doubts : m_resolved)++;
    m_doubtsOf[node] += opens ? 1 : -1;
}

void
MutexMonitor::FrameTx(uint32_t, Ptr<const Packet> frame, const std::string& kind)
{
    m_frames[kind]++;
    if (kind == "hello")
    {
        m_helloBytes += frame->GetSize();
    }
    if (!m_ears.empty() && (kind == "hello" || kind == "shared"))
    {
        m_hellos.insert(frame->GetUid());
    }
}

void
MutexMonitor::Broken(uint32_t, const std::string& what)
{
    // The checker has counted it; this makes it heard.
    NS_LOG_ERROR(what);
    m_violationTrace(what);
}

void
MutexMonitor::Start(uint32_t node, uint16_t life)
{
    if (life > 0)
    {
        m_room->Revive(node);
    }
}

void
MutexMonitor::Stop(uint32_t node, uint16_t)
{
    m_waiting.erase(node);
    m_room->Silence(node);
    m_lostTokens += m_holders.erase(node);
    m_up.at(node).assign(m_up.size(), false);
    m_resolved += m_doubtsOf[node];
    m_doubtsOf.erase(node);
}

uint64_t
MutexMonitor::GetViolations() const
{
    return m_violations + (m_checker ? m_checker->GetViolations() : 0);
}

std::string
MutexMonitor::GetFirstViolation() const
{
    if (!m_firstViolation.empty() || !m_checker)
    {
        return m_firstViolation;
    }
    return m_checker->GetFirstViolation();
}

uint64_t
MutexMonitor::GetRequests() const
{
    return m_requests;
}

uint64_t
MutexMonitor::GetEntries() const
{
    return m_waits.size();
}

uint64_t
MutexMonitor::GetWaiting() const
{
    return m_waiting.size();
}

uint64_t
MutexMonitor::GetInside() const
{
    return m_room ? m_room->GetSize() : 0;
}

double
MutexMonitor::GetMeanInside() const
{
    return m_room ? m_room->GetMeanSize() : 0;
}

uint64_t
MutexMonitor::GetMostInside() const
{
    return m_room ? m_room->GetMostSize() : 0;
}

const std::vector<double>&
MutexMonitor::GetWaits() const
{
    return m_waits;
}

const std::vector<uint64_t>&
MutexMonitor::GetEntriesByNode() const
{
    return m_entries;
}

const std::map<std::string, uint64_t>&
MutexMonitor::GetMessages() const
{
    return m_messages;
}

const std::map<std::string, uint64_t>&
MutexMonitor::GetFrames() const
{
    return m_frames;
}

uint64_t
MutexMonitor::GetHelloBytes() const
{
    return m_helloBytes;
}

uint64_t
MutexMonitor::GetTransmissions() const
{
    uint64_t frames = 0;
    for (const auto& [party, traffic] : m_traffic)
    {
        frames += traffic.frames;
    }
    return frames;
}

uint64_t
MutexMonitor::GetTransmittedBytes() const
{
    uint64_t bytes = 0;
    for (const auto& [party, traffic] : m_traffic)
    {
        bytes += traffic.bytes;
    }
    return bytes;
}

Time
MutexMonitor::GetAirtime() const
{
    Time airtime;
    for (const auto& [party, traffic] : m_traffic)
    {
        airtime += traffic.airtime;
    }
    return airtime;
}

MutexTraffic
MutexMonitor::GetTraffic(MutexParty party) const
{
    const auto found = m_traffic.find(party);
    return found == m_traffic.end() ? MutexTraffic() : found->second;
}

Time
MutexMonitor::GetHelloAirtime() const
{
    return m_helloAirtime;
}

uint64_t
MutexMonitor::GetLinkUps() const
{
    return m_linkUps;
}

uint64_t
MutexMonitor::GetLinkDowns() const
{
    return m_linkDowns;
}

const std::map<std::string, uint64_t>&
MutexMonitor::GetCauses() const
{
    return m_causes;
}

uint64_t
MutexMonitor::GetDoubts() const
{
    return m_doubts;
}

uint64_t
MutexMonitor::GetOpenDoubts() const
{
    return m_doubts - m_resolved;
}

uint64_t
MutexMonitor::GetLostTokens() const
{
    return m_lostTokens;
}

uint64_t
MutexMonitor::GetUnknownPeers() const
{
    uint64_t count = 0;
    for (const auto& application : m_watched)
    {
        count += application->GetUnknownPeers();
    }
    return count;
}

uint64_t
MutexMonitor::GetTokenMoves() const
{
    return m_tokenMoves;
}

uint64_t
MutexMonitor::GetDemotions() const
{
    return m_demotions;
}

bool
MutexMonitor::IsLocal() const
{
    return m_local;
}

bool
MutexMonitor::IsRouted() const
{
    return m_routed;
}

std::vector<std::pair<uint32_t, uint32_t>>
MutexMonitor::GetLinks() const
{
    std::vector<std::pair<uint32_t, uint32_t>> links;
    for (uint32_t node = 0; node < m_up.size(); ++node)
    {
        for (uint32_t peer = node + 1; peer < m_up.size(); ++peer)
        {
            if (m_up[node][peer] && m_up[peer][node])
            {
                links.emplace_back(node, peer);
            }
        }
    }
    return links;
}

} // namespace ns3
