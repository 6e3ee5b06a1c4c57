/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_RUN_H
#define SCENARIO_RUN_H

#include "options.h"

namespace scenario
{

/**
 * Runs a scenario to its end, prints the outcome and writes the results.
 * @param options of the run
 * @returns whether every promise was kept
 */
bool Run(const Options& options);

} // namespace scenario

#endif // SCENARIO_RUN_H
