/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_SUMMARY_H
#define SCENARIO_SUMMARY_H

#include "options.h"

#include "ns3/mutex-connectivity.h"
#include "ns3/mutex-monitor.h"

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

namespace scenario
{

/// What a run took.
struct Cost
{
    double wall;      //!< seconds
    double processor; //!< seconds
    double simulated; //!< seconds
};

/// What came of a run.
class Summary
{
  public:
    /**
     * @param options of the run
     * @param monitor that watched it
     * @param connectivity that looked at it
     * @param cost what it took
     */
    Summary(const Options& options,
            const ns3::MutexMonitor& monitor,
            const ns3::MutexConnectivity& connectivity,
            const Cost& cost);

    /// @returns whether every promise was kept, everything was served and nothing is in doubt
    bool IsClean() const;
    /// Writes one JSON object. @param out where
    void WriteJson(std::ostream& out) const;
    /// Writes a table for people. @param out where
    void WriteTable(std::ostream& out) const;

  private:
    /// Writes one row of the table: its name and its value.
    using Row = std::function<void(const std::string&, const std::string&)>;

    /// Writes what is known of links. @param row writes a row
    void WriteLinks(const Row& row) const;
    /// @param count of something @returns how many for each entry
    double PerEntry(double count) const;

    const Options& m_options;                      //!< of the run
    const ns3::MutexMonitor& m_monitor;            //!< that watched it
    const ns3::MutexConnectivity& m_connectivity;  //!< that looked at it
    Cost m_cost;                                   //!< what it took
    std::vector<double> m_waits;                   //!< sorted
    double m_waitMean{0};                          //!< of them
    uint64_t m_messages{0};                        //!< sent by protocols
    double m_helloBytes{0};                        //!< of a hello, mean
    double m_helloShare{0};                        //!< of the time of the air around a node
};

} // namespace scenario

#endif // SCENARIO_SUMMARY_H
