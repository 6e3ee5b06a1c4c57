/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mutex-room.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

MutexRoom::MutexRoom(bool local, uint32_t units, Company company)
    : m_local(local),
      m_units(units),
      m_told(std::move(company))
{
}

std::string
MutexRoom::Enter(uint32_t node, const MutexDemand& demand)
{
    Tally();
    m_inside[node] = demand;
    m_most = std::max(m_most, m_inside.size());
    std::string conflict;
    uint64_t units = 0;
    for (const auto& [other, theirs] : m_inside)
    {
        units += theirs.units;
        if (other != node && conflict.empty())
        {
            conflict = Check(node, other);
        }
        if (other != node)
        {
            BeginCompany(Ordered(node, other));
        }
    }
    for (const auto& [other, theirs] : m_silent)
    {
        conflict = conflict.empty() ? Check(node, other) : conflict;
    }
    if (conflict.empty() && demand.kind == MutexDemand::UNITS && units > m_units)
    {
        std::ostringstream text;
        text << "node " << node << " (" << demand << ") enters, and " << units << " of "
             << m_units << " units are in use";
        return text.str();
    }
    return conflict;
}

std::string
MutexRoom::Check(uint32_t a, uint32_t b) const
{
    const auto mine = DemandOf(a);
    const auto theirs = DemandOf(b);
    if (!mine || !theirs)
    {
        return "";
    }
    const bool apart = m_local && m_neighbours.count(Ordered(a, b)) == 0;
    const bool share = mine->kind != MutexDemand::EXCLUSIVE &&
                       mine->kind == theirs->kind &&
                       mine->resource == theirs->resource;
    if (apart || share)
    {
        return "";
    }
    std::ostringstream text;
    text << (m_local ? "neighbours " : "nodes ") << a << " (" << *mine << ") and " << b
         << " (" << *theirs << ") are inside together";
    return text.str();
}

void
MutexRoom::Leave(uint32_t node)
{
    Tally();
    m_inside.erase(node);
    for (const auto& [other, demand] : m_inside)
    {
        EndCompany(Ordered(node, other));
    }
}

void
MutexRoom::Silence(uint32_t node)
{
    const auto found = m_inside.find(node);
    if (m_local && found != m_inside.end())
    {
        m_silent.insert(*found);
    }
    Leave(node);
}

void
MutexRoom::Revive(uint32_t node)
{
    m_silent.erase(node);
    for (auto pair = m_neighbours.begin(); pair != m_neighbours.end();)
    {
        const bool own = pair->first == node || pair->second == node;
        pair = own ? m_neighbours.erase(pair) : std::next(pair);
    }
}

const MutexDemand*
MutexRoom::DemandOf(uint32_t node) const
{
    for (const auto nodes : {&m_inside, &m_silent})
    {
        const auto found = nodes->find(node);
        if (found != nodes->end())
        {
            return &found->second;
        }
    }
    return nullptr;
}

void
MutexRoom::Meet(uint32_t a, uint32_t b)
{
    m_neighbours.insert(Ordered(a, b));
    EndCompany(Ordered(a, b));
}

void
MutexRoom::Part(uint32_t a, uint32_t b)
{
    m_neighbours.erase(Ordered(a, b));
    BeginCompany(Ordered(a, b));
}

std::size_t
MutexRoom::GetSize() const
{
    return m_inside.size();
}

double
MutexRoom::GetMeanSize() const
{
    return m_busy.IsZero() ? 0 : m_stays / m_busy.GetSeconds();
}

std::size_t
MutexRoom::GetMostSize() const
{
    return m_most;
}

void
MutexRoom::Restart()
{
    m_changed = Simulator::Now();
    m_busy = Time(0);
    m_stays = 0;
    m_most = m_inside.size();
}

void
MutexRoom::Tally()
{
    const auto span = Simulator::Now() - m_changed;
    m_changed = Simulator::Now();
    if (!m_inside.empty())
    {
        m_busy += span;
        m_stays += m_inside.size() * span.GetSeconds();
    }
}

MutexRoom::Pair
MutexRoom::Ordered(uint32_t a, uint32_t b)
{
    return std::minmax(a, b);
}

void
MutexRoom::BeginCompany(const Pair& pair)
{
    const bool together = m_inside.count(pair.first) > 0 && m_inside.count(pair.second) > 0;
    if (m_local && together && m_neighbours.count(pair) == 0)
    {
        m_company.emplace(pair, Simulator::Now());
    }
}

void
MutexRoom::EndCompany(const Pair& pair)
{
    const auto found = m_company.find(pair);
    if (found != m_company.end())
    {
        m_told(pair.first, pair.second, Simulator::Now() - found->second);
        m_company.erase(found);
    }
}

} // namespace ns3
