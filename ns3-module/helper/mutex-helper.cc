/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mutex-helper.h"

#include "ns3/ipv4.h"
#include "ns3/mutex-application.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <vector>

namespace ns3
{

namespace
{

/**
 * @param nodes with internet stacks
 * @returns the address of each
 * @throws MutexError if one has none
 */
std::vector<Ipv4Address>
AddressesOf(const NodeContainer& nodes)
{
    std::vector<Ipv4Address> addresses;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        const auto ip = (*node)->GetObject<Ipv4>();
        // Interface 0 is the loopback.
        if (!ip || ip->GetNInterfaces() < 2 || ip->GetNAddresses(1) == 0)
        {
            throw MutexError("node " + std::to_string((*node)->GetId()) +
                             " has no IPv4 address, and this protocol needs routing: install an "
                             "internet stack with a routing protocol and assign addresses first");
        }
        addresses.push_back(ip->GetAddress(1, 0).GetLocal());
    }
    return addresses;
}

} // namespace

MutexHelper::MutexHelper(const std::string& protocol)
{
    m_factory.SetTypeId(MutexApplication::GetTypeId());
    m_factory.Set("Protocol", StringValue(protocol));
}

void
MutexHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    m_factory.Set(name, value);
}

ApplicationContainer
MutexHelper::Install(const NodeContainer& nodes) const
{
    if (nodes.GetN() == 0)
    {
        throw MutexError("there are no nodes to install on: create some first");
    }
    ApplicationContainer applications;
    std::vector<Ipv4Address> addresses;
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        auto application = m_factory.Create<MutexApplication>();
        application->SetAttribute("Id", UintegerValue(i));
        application->SetAttribute("Population", UintegerValue(nodes.GetN()));
        if (i == 0)
        {
            application->Validate();
            addresses = application->GetNature().routed ? AddressesOf(nodes) : addresses;
        }
        application->SetAddresses(addresses);
        nodes.Get(i)->AddApplication(application);
        applications.Add(application);
    }
    return applications;
}

int64_t
MutexHelper::AssignStreams(const NodeContainer& nodes, int64_t stream)
{
    auto next = stream;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        for (uint32_t i = 0; i < (*node)->GetNApplications(); ++i)
        {
            if (auto application = DynamicCast<MutexApplication>((*node)->GetApplication(i)))
            {
                next += application->AssignStreams(next);
            }
        }
    }
    return next - stream;
}

} // namespace ns3
