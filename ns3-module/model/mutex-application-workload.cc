/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// When an application requests by itself, and what for.
#include "mutex-application.h"

#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"

namespace ns3
{

namespace
{

/// @param variable of an attribute @returns whether it is known to be 0 always
bool
IsAlwaysZero(Ptr<RandomVariableStream> variable)
{
    if (const auto constant = DynamicCast<ConstantRandomVariable>(variable))
    {
        return constant->GetConstant() == 0;
    }
    if (const auto exponential = DynamicCast<ExponentialRandomVariable>(variable))
    {
        return exponential->GetMean() == 0;
    }
    return false;
}

} // namespace

void
MutexApplication::CheckTimes() const
{
    if (m_automatic && IsAlwaysZero(m_thinkTime) && IsAlwaysZero(m_csTime))
    {
        throw MutexError("node " + std::to_string(m_id) +
                         " would request and release for ever without any time passing: give "
                         "ThinkTime or CsTime a value above 0");
    }
}

void
MutexApplication::Think(bool first)
{
    const auto think = Seconds(m_thinkTime->GetValue()) + (first ? m_firstRequest : Time(0));
    if (m_lastRequest.IsZero() || Simulator::Now() + think <= m_lastRequest)
    {
        m_next = Simulator::Schedule(think, &MutexApplication::RequestByItself, this);
    }
}

void
MutexApplication::RequestByItself()
{
    Request(DrawDemand());
}

MutexDemand
MutexApplication::DrawDemand()
{
    const auto most = GetNature().most;
    const auto draw = [this](Ptr<RandomVariableStream> given, uint32_t first, uint32_t count) {
        return given ? given->GetInteger() : m_choice->GetInteger(first, first + count - 1);
    };
    MutexDemand demand;
    demand.kind = most.kind;
    if (demand.kind == MutexDemand::GROUP)
    {
        demand.resource = draw(m_group, 0, most.resource);
    }
    if (demand.kind == MutexDemand::UNITS)
    {
        demand.units = draw(m_units, 1, most.units);
        demand.priority = draw(m_priority, 0, most.priority);
    }
    return demand;
}

void
MutexApplication::StopRequests()
{
    m_lastRequest = NanoSeconds(1);
    if (m_state == IDLE)
    {
        m_next.Cancel();
    }
}

int64_t
MutexApplication::AssignStreams(int64_t stream)
{
    m_seeds->SetStream(stream);
    m_thinkTime->SetStream(stream + 1);
    m_csTime->SetStream(stream + 2);
    m_choice->SetStream(stream + 3);
    int64_t used = 4;
    for (const auto& given : {m_group, m_units, m_priority})
    {
        if (given)
        {
            given->SetStream(stream + used++);
        }
    }
    return used;
}

} // namespace ns3
