/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// No installed ns-3 has its test runner as a library; in the tree there is one.
#include "ns3/test.h"

int
main(int argc, char* argv[])
{
    return ns3::TestRunner::Run(argc, argv);
}
