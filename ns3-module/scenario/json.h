/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_JSON_H
#define SCENARIO_JSON_H

#include <string>

namespace scenario
{

/// @param text any @returns it as a JSON string
std::string Quoted(const std::string& text);

} // namespace scenario

#endif // SCENARIO_JSON_H
