/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mutex-event-log.h"

#include "ns3/mutex-application.h"
#include "ns3/simulator.h"

#include <cinttypes>
#include <cstdio>

namespace ns3
{

MutexEventLog::MutexEventLog(const std::string& path)
    : m_path(path),
      m_file(path)
{
    if (!m_file)
    {
        throw MutexError("cannot write " + path + ": give a folder that exists and may be written");
    }
}

MutexEventLog::~MutexEventLog() = default;

void
MutexEventLog::Watch(const ApplicationContainer& applications)
{
    for (auto i = applications.Begin(); i != applications.End(); ++i)
    {
        const auto connect = [&](const char* name, const CallbackBase& sink) {
            (*i)->TraceConnectWithoutContext(name, sink);
        };
        connect("Request", MakeCallback(&MutexEventLog::Request, this));
        connect("Enter", MakeCallback(&MutexEventLog::Enter, this));
        connect("Release", MakeCallback(&MutexEventLog::Release, this));
        connect("Demote", MakeCallback(&MutexEventLog::Demote, this));
        connect("LinkUp", MakeCallback(&MutexEventLog::LinkUp, this));
        connect("LinkDown", MakeCallback(&MutexEventLog::LinkDown, this));
        connect("Tx", MakeCallback(&MutexEventLog::Tx, this));
        connect("Rx", MakeCallback(&MutexEventLog::Rx, this));
        connect("TokenMoved", MakeCallback(&MutexEventLog::TokenMoved, this));
        connect("Towards", MakeCallback(&MutexEventLog::Towards, this));
        connect("Doubt", MakeCallback(&MutexEventLog::Doubt, this));
        connect("Motion", MakeCallback(&MutexEventLog::Motion, this));
    }
}

void
MutexEventLog::Close()
{
    m_file.close();
    if (!m_file)
    {
        throw MutexError("cannot write " + m_path + ": is the disk full?");
    }
}

std::ostream&
MutexEventLog::Line(uint32_t node, const char* event)
{
    const int64_t now = Simulator::Now().GetNanoSeconds();
    char time[32];
    std::snprintf(time,
                  sizeof time,
                  "%" PRId64 ".%09" PRId64,
                  now / 1000000000,
                  now % 1000000000);
    return m_file << "{\"t\":" << time << ",\"node\":" << node << ",\"event\":\"" << event << '"';
}

void
MutexEventLog::End()
{
    m_file << "}\n";
}

void
MutexEventLog::Write(const MutexDemand& demand)
{
    if (demand.kind == MutexDemand::GROUP)
    {
        m_file << ",\"resource\":" << demand.resource;
    }
    if (demand.kind == MutexDemand::UNITS)
    {
        m_file << ",\"units\":" << demand.units << ",\"priority\":" << demand.priority;
    }
}

void
MutexEventLog::Write(const MutexMessage& message)
{
    m_file << ",\"peer\":" << message.peer << ",\"kind\":\"" << message.kind
           << "\",\"bytes\":" << message.bytes;
}

void
MutexEventLog::Request(uint32_t node, const MutexDemand& demand)
{
    Line(node, "request");
    Write(demand);
    End();
}

void
MutexEventLog::Enter(uint32_t node, const MutexDemand& demand, Time)
{
    Line(node, "enter");
    Write(demand);
    End();
}

void
MutexEventLog::Release(uint32_t node, Time)
{
    Line(node, "release");
    End();
}

void
MutexEventLog::Demote(uint32_t node)
{
    Line(node, "demote");
    End();
}

void
MutexEventLog::LinkUp(uint32_t node, uint32_t peer, MutexRole role)
{
    Line(node, "link_up") << ",\"peer\":" << peer << ",\"role\":\""
                          << (role == MutexRole::MOVING ? "moving" : "static") << '"';
    End();
}

void
MutexEventLog::LinkDown(uint32_t node, uint32_t peer, const std::string& cause)
{
    Line(node, "link_down") << ",\"peer\":" << peer << ",\"cause\":\"" << cause << '"';
    End();
}

void
MutexEventLog::Tx(uint32_t node, const MutexMessage& message)
{
    Line(node, "send");
    Write(message);
    End();
}

void
MutexEventLog::Rx(uint32_t node, const MutexMessage& message)
{
    Line(node, "recv");
    Write(message);
    End();
}

void
MutexEventLog::TokenMoved(uint32_t node, uint32_t from)
{
    Line(node, "token") << ",\"peer\":" << from;
    End();
}

void
MutexEventLog::Towards(uint32_t node, uint32_t peer)
{
    Line(node, "towards") << ",\"peer\":" << peer;
    End();
}

void
MutexEventLog::Doubt(uint32_t node, const MutexMessage& message, MutexDoubt doubt)
{
    Line(node, doubt == MutexDoubt::OPEN ? "doubt" : "resolved");
    Write(message);
    if (doubt != MutexDoubt::OPEN)
    {
        m_file << ",\"outcome\":\""
               << (doubt == MutexDoubt::DELIVERED ? "delivered" : "returned") << '"';
    }
    End();
}

void
MutexEventLog::Motion(uint32_t node, const Vector& position, const Vector& velocity)
{
    char fields[128];
    std::snprintf(fields,
                  sizeof fields,
                  ",\"x\":%.3f,\"y\":%.3f,\"vx\":%.3f,\"vy\":%.3f",
                  position.x,
                  position.y,
                  velocity.x,
                  velocity.y);
    Line(node, velocity.GetLength() > 0 ? "move" : "stop") << fields;
    End();
}

} // namespace ns3
