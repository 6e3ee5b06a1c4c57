/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "json.h"

#include <iomanip>
#include <sstream>

namespace scenario
{

std::string
Quoted(const std::string& text)
{
    std::ostringstream out;
    out << '"';
    for (const unsigned char c : text)
    {
        if (c == '"' || c == '\\')
        {
            out << '\\' << c;
        }
        else if (c < 0x20)
        {
            out << "\\u" << std::hex << std::setw(4) << std::setfill('0') << int(c) << std::dec;
        }
        else
        {
            out << c;
        }
    }
    out << '"';
    return out.str();
}

} // namespace scenario
