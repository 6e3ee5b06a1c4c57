/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mutex-python.h"

#include "ns3/mutex-application.h"
#include "ns3/simulator.h"

#include <map>
#include <utility>

namespace manet_mutex_python
{

namespace
{

void (*g_python)(uint64_t){nullptr}; //!< calls a Python function
std::vector<Argument> g_arguments;   //!< of the call that is being made

/// @returns numbers of which no copy is left. Never destroyed: copies may go after that.
std::vector<uint64_t>&
Forgotten()
{
    static auto& numbers = *new std::vector<uint64_t>;
    return numbers;
}

/// @returns all signatures that were learnt
std::map<std::string, Signature>&
Signatures()
{
    static std::map<std::string, Signature> signatures;
    return signatures;
}

/// Learns those that are needed most.
bool
LearnOurs()
{
    using A = ns3::MutexApplication;
    Learn("ns3::MutexApplication::RequestTracedCallback", A::RequestTracedCallback());
    Learn("ns3::MutexApplication::EnterTracedCallback", A::EnterTracedCallback());
    Learn("ns3::MutexApplication::ReleaseTracedCallback", A::ReleaseTracedCallback());
    Learn("ns3::MutexApplication::DemoteTracedCallback", A::DemoteTracedCallback());
    Learn("ns3::MutexApplication::LinkUpTracedCallback", A::LinkUpTracedCallback());
    Learn("ns3::MutexApplication::LinkDownTracedCallback", A::LinkDownTracedCallback());
    Learn("ns3::MutexApplication::MessageTracedCallback", A::MessageTracedCallback());
    Learn("ns3::MutexApplication::TokenTracedCallback", A::TokenTracedCallback());
    Learn("ns3::MutexApplication::TowardsTracedCallback", A::TowardsTracedCallback());
    Learn("ns3::MutexApplication::DoubtTracedCallback", A::DoubtTracedCallback());
    Learn("ns3::MutexApplication::ReachTracedCallback", A::ReachTracedCallback());
    Learn("ns3::MutexApplication::FrameTracedCallback", A::FrameTracedCallback());
    Learn("ns3::MutexApplication::MotionTracedCallback", A::MotionTracedCallback());
    Learn("ns3::MutexApplication::BrokenTracedCallback", A::BrokenTracedCallback());
    Learn("ns3::MutexApplication::LifeTracedCallback", A::LifeTracedCallback());
    return true;
}

const bool g_learnt = LearnOurs(); //!< when the library is loaded

} // namespace

void
SetPython(void (*python)(uint64_t number))
{
    g_python = python;
}

void
CallPython(uint64_t number)
{
    g_python(number);
}

Number
MakeNumber(uint64_t number)
{
    return Number(new uint64_t(number), [](const uint64_t* last) {
        Forgotten().push_back(*last);
        delete last;
    });
}

uint64_t
NextForgotten()
{
    if (Forgotten().empty())
    {
        return 0;
    }
    const auto number = Forgotten().back();
    Forgotten().pop_back();
    return number;
}

void
SetArguments(std::vector<Argument> arguments)
{
    g_arguments = std::move(arguments);
}

const Argument&
GetArgument(std::size_t i)
{
    return g_arguments.at(i);
}

void
Learn(const std::string& name, const Signature& signature)
{
    Signatures()[name] = signature;
}

std::string
ArgumentsOf(const std::string& signature)
{
    const auto found = Signatures().find(signature);
    return found == Signatures().end() ? "unknown" : found->second.arguments;
}

std::string
SignatureOf(ns3::TypeId type, const std::string& trace)
{
    ns3::TypeId::TraceSourceInformation information;
    return type.LookupTraceSourceByName(trace, &information) ? information.callback : "";
}

bool
Connect(const std::string& signature,
        ns3::ObjectBase& object,
        const std::string& trace,
        uint64_t number)
{
    return Signatures().at(signature).connect(object, trace, number);
}

ns3::EventId
Schedule(const ns3::Time& delay, uint64_t function)
{
    return ns3::Simulator::Schedule(delay, [number = MakeNumber(function)] {
        CallPython(*number);
    });
}

Attribute
FindAttribute(ns3::TypeId type, const std::string& name)
{
    Attribute attribute;
    attribute.found = type.LookupAttributeByName(name, &attribute.information);
    return attribute;
}

bool
Accepts(const Attribute& attribute, const ns3::AttributeValue& value)
{
    return attribute.information.checker->CreateValidValue(value) != nullptr;
}

} // namespace manet_mutex_python
