/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MUTEX_APPLICATION_CORE_H
#define MUTEX_APPLICATION_CORE_H

// Private: shared by the two source files of MutexApplication.
#include "mutex-application.h"
#include "mutex-core.h"

namespace ns3
{

/// The core and what followed from its last input.
struct MutexApplication::Core
{
    /// @param application whose attributes count
    explicit Core(const MutexApplication& application)
        : machine(SettingsOf(application))
    {
    }

    /**
     * The attributes as the core wants them.
     * @param application whose
     * @returns the settings
     */
    static manet_mutex::Settings SettingsOf(const MutexApplication& application);

    MutexCore machine;          //!< the protocol on its link layer
    MutexCore::Effects effects; //!< what to do
};

} // namespace ns3

#endif // MUTEX_APPLICATION_CORE_H
