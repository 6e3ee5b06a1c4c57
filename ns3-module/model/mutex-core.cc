/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mutex-core.h"

#include "mutex-host.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <sstream>

namespace ns3
{

// All records of the core: NS_LOG="ManetMutexCore=level_info|prefix_time|prefix_node"
NS_LOG_COMPONENT_DEFINE("ManetMutexCore");

namespace
{

/// @returns the time as the core counts it
uint64_t
Nanos()
{
    return Simulator::Now().GetNanoSeconds();
}

/**
 * Makes something of the core; its error becomes a MutexError.
 * @param id the node
 * @param make makes it
 * @returns what was made
 */
template <typename Make>
auto
Made(uint32_t id, Make make) -> decltype(make())
{
    try
    {
        return make();
    }
    catch (const rust::Error& error)
    {
        std::ostringstream text;
        text << "node " << id << ": " << error.what();
        throw MutexError(text.str());
    }
}

/// @param level of the core's log @returns that of ns-3
LogLevel
ToNs3(uint8_t level)
{
    switch (level)
    {
    case 1:
        return LOG_ERROR;
    case 2:
        return LOG_WARN;
    case 3:
        return LOG_INFO;
    case 4:
        return LOG_DEBUG;
    default:
        return LOG_LOGIC;
    }
}

} // namespace

MutexChecker::MutexChecker(const manet_mutex::Settings& settings)
    : m_checker(Made(settings.id, [&] { return manet_mutex::new_checker(settings); }))
{
}

uint64_t
MutexChecker::GetViolations() const
{
    return m_checker->violations();
}

std::string
MutexChecker::GetFirstViolation() const
{
    return std::string(m_checker->first_violation());
}

uint64_t
MutexChecker::GetOpenDoubts() const
{
    return m_checker->open_doubts();
}

MutexCore::MutexCore(const manet_mutex::Settings& settings)
    : m_id(settings.id),
      m_station(Made(settings.id, [&] { return manet_mutex::new_station(settings); }))
{
}

template <typename F>
void
MutexCore::Call(const char* what, F call)
{
    try
    {
        call();
    }
    catch (const rust::Error& error)
    {
        std::ostringstream text;
        text << "node " << m_id << " at " << Simulator::Now().As(Time::S) << ", " << what << ": "
             << error.what();
        NS_LOG_ERROR(text.str());
        throw MutexError(text.str());
    }
}

void
MutexCore::Watch(const MutexChecker& checker)
{
    Call("watch", [&] { m_station->watch(*checker.m_checker); });
}

void
MutexCore::Start()
{
    Call("start", [&] { m_report = m_station->start(Nanos()); });
}

void
MutexCore::Request(const MutexDemand& demand)
{
    const manet_mutex::Wish wish{static_cast<manet_mutex::DemandKind>(demand.kind),
                                 demand.resource,
                                 demand.units,
                                 demand.priority};
    Call("request", [&] { m_report = m_station->request(Nanos(), wish); });
}

void
MutexCore::Release()
{
    Call("release", [&] { m_report = m_station->release(Nanos()); });
}

void
MutexCore::Receive(const uint8_t* bytes, std::size_t size, double dbm)
{
    Call("frame", [&] { m_report = m_station->frame(Nanos(), {bytes, size}, dbm); });
}

void
MutexCore::ReceiveDatagram(const uint8_t* bytes, std::size_t size)
{
    Call("datagram", [&] { m_report = m_station->datagram(Nanos(), {bytes, size}); });
}

void
MutexCore::Sent(uint64_t number, bool ok)
{
    Call("sent", [&] { m_report = m_station->sent(Nanos(), number, ok); });
}

void
MutexCore::Wake()
{
    Call("wake", [&] { m_report = m_station->wake(Nanos()); });
}

void
MutexCore::Move(bool moving)
{
    Call("motion", [&] { m_report = m_station->motion(Nanos(), moving); });
}

void
MutexCore::Stop()
{
    m_station->stop(Nanos());
}

uint64_t
MutexCore::GetUnknownSenders() const
{
    return m_station->unknown_senders();
}

void
MutexCore::Panic()
{
    Call("panic", [&] { m_report = m_station->panic(); });
}

void
MutexCore::Take(Effects& effects)
{
    m_station->take(effects);
}

MutexNature
MutexNatureOf(const manet_mutex::Settings& settings)
{
    const auto nature = Made(settings.id, [&] { return manet_mutex::nature(settings); });
    const auto& most = nature.most;
    return {{static_cast<MutexDemand::Kind>(most.kind), most.resource, most.units, most.priority},
            nature.local,
            nature.routed};
}

void
MutexConnectLog()
{
    uint8_t level = 0;
#ifdef NS3_LOG_ENABLE
    for (uint8_t l = 5; l > 0 && level == 0; --l)
    {
        level = g_log.IsEnabled(ToNs3(l)) ? l : 0;
    }
#endif
    manet_mutex::log_up_to(level);
}

} // namespace ns3

namespace manet_mutex
{

bool
HostLogEnabled(std::uint8_t level) noexcept
{
#ifdef NS3_LOG_ENABLE
    return ns3::g_log.IsEnabled(ns3::ToNs3(level));
#else
    return false;
#endif
}

void
HostLog(std::uint8_t level, rust::Str target, rust::Str message)
{
    using namespace ns3;
    NS_LOG(ToNs3(level), std::string(target) << ": " << std::string(message));
}

} // namespace manet_mutex
