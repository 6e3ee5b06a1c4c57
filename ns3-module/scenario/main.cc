/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Mutual exclusion over ns-3's 802.11 ad hoc radio, for any mix of motion, channel and load.
// Exit codes: 0 all is well, 1 a promise was broken or the run failed, 2 the command was wrong or
// results could not be written.
#include "options.h"
#include "run.h"

#include "ns3/mutex-types.h"

#include <exception>
#include <iostream>
#include <string>
#include <vector>

int
main(int argc, char** argv)
{
    try
    {
        const auto options = scenario::Parse({argv + 1, argv + argc}, argv[0]);
        return scenario::Run(options) ? 0 : 1;
    }
    catch (const scenario::UsageError& error)
    {
        std::cerr << "manet-mutex-scenario: " << error.what() << '\n';
        return 2;
    }
    catch (const std::exception& error)
    {
        std::cerr << "manet-mutex-scenario: the run failed: " << error.what() << '\n';
        return 1;
    }
}
