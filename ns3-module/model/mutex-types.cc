/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mutex-types.h"

namespace ns3
{

std::ostream&
operator<<(std::ostream& os, const MutexDemand& demand)
{
    switch (demand.kind)
    {
    case MutexDemand::GROUP:
        return os << "group " << demand.resource;
    case MutexDemand::UNITS:
        return os << demand.units << " units at priority " << demand.priority;
    case MutexDemand::EXCLUSIVE:
        break;
    }
    return os << "exclusive";
}

} // namespace ns3
