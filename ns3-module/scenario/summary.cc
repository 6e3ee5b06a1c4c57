/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "summary.h"

#include "json.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iomanip>
#include <map>
#include <numeric>
#include <ostream>
#include <sstream>

#ifndef MUTEX_NS3_VERSION
#define MUTEX_NS3_VERSION "unknown"
#endif

namespace scenario
{

namespace
{

/// On whose account frames are on the air.
const std::vector<std::pair<ns3::MutexParty, std::string>> PARTIES{
    {ns3::MutexParty::PROTOCOL, "protocol"},
    {ns3::MutexParty::ROUTING, "routing"},
    {ns3::MutexParty::RADIO, "radio"},
};

/// @param sorted values @param share of them that is not larger than the result @returns it
double
Percentile(const std::vector<double>& sorted, double share)
{
    if (sorted.empty())
    {
        return 0;
    }
    const auto rank = static_cast<std::size_t>(std::ceil(share * sorted.size()));
    return sorted[std::max<std::size_t>(rank, 1) - 1];
}

/// Writes the fields of a JSON object.
class Fields
{
  public:
    explicit Fields(std::ostream& out)
        : m_out(out)
    {
        m_out << "{" << std::setprecision(10);
    }

    template <typename T>
    void Add(const std::string& name, const T& value)
    {
        m_out << (m_first ? "" : ",") << "\n  " << Quoted(name) << ": " << value;
        m_first = false;
    }

    void AddText(const std::string& name, const std::string& value)
    {
        Add(name, Quoted(value));
    }

    void AddCounts(const std::string& name, const std::map<std::string, uint64_t>& counts)
    {
        std::string text = "{";
        for (const auto& [key, count] : counts)
        {
            text += (text.size() > 1 ? ", " : "") + Quoted(key) + ": " + std::to_string(count);
        }
        Add(name, text + "}");
    }

    void AddObject(const std::string& name,
                   const std::vector<std::pair<std::string, std::string>>& members)
    {
        std::string text = "{";
        for (const auto& [key, value] : members)
        {
            text += (text.size() > 1 ? ",\n    " : "\n    ") + Quoted(key) + ": " + value;
        }
        Add(name, text + "\n  }");
    }

    void End()
    {
        m_out << "\n}\n";
    }

  private:
    std::ostream& m_out;
    bool m_first{true};
};

std::string
Printed(const char* format, double a, double b = 0, double c = 0)
{
    char text[160];
    std::snprintf(text, sizeof text, format, a, b, c);
    return text;
}

} // namespace

Summary::Summary(const Options& options,
                 const ns3::MutexMonitor& monitor,
                 const ns3::MutexConnectivity& connectivity,
                 const Cost& cost)
    : m_options(options),
      m_monitor(monitor),
      m_connectivity(connectivity),
      m_cost(cost),
      m_waits(monitor.GetWaits())
{
    std::sort(m_waits.begin(), m_waits.end());
    if (!m_waits.empty())
    {
        m_waitMean = std::accumulate(m_waits.begin(), m_waits.end(), 0.0) / m_waits.size();
    }
    for (const auto& [kind, count] : monitor.GetMessages())
    {
        m_messages += count;
    }
    const auto hellos = monitor.GetFrames().find("hello");
    if (hellos != monitor.GetFrames().end())
    {
        m_helloBytes = static_cast<double>(monitor.GetHelloBytes()) / hellos->second;
    }
    // Around a node the air is taken by its own hellos and by those of all in range.
    m_helloShare = monitor.GetHelloAirtime().GetSeconds() / options.nodes /
                   (cost.simulated - options.discard) *
                   (1 + connectivity.GetInRange().GetMeanDegree());
}

bool
Summary::IsClean() const
{
    return m_monitor.GetViolations() == 0 && m_monitor.GetWaiting() == 0 &&
           m_monitor.GetOpenDoubts() == 0;
}

double
Summary::PerEntry(double count) const
{
    return m_waits.empty() ? 0 : count / m_waits.size();
}

void
Summary::WriteJson(std::ostream& out) const
{
    const auto& range = m_connectivity.GetInRange();
    const auto& links = m_connectivity.GetLinked();
    Fields fields(out);
    fields.AddText("protocol", m_options.protocol);
    fields.AddText("preset", m_options.preset);
    if (m_monitor.IsRouted())
    {
        fields.AddText("routing", m_options.routing);
    }
    fields.Add("nodes", m_options.nodes);
    fields.Add("seed", m_options.seed);
    fields.Add("duration", m_options.duration);
    fields.Add("requests", m_monitor.GetRequests());
    fields.Add("entries", m_monitor.GetEntries());
    fields.Add("unserved", m_monitor.GetWaiting());
    fields.Add("wait_mean_s", m_waitMean);
    fields.Add("wait_p50_s", Percentile(m_waits, 0.5));
    fields.Add("wait_p95_s", Percentile(m_waits, 0.95));
    fields.Add("wait_p99_s", Percentile(m_waits, 0.99));
    fields.Add("wait_max_s", Percentile(m_waits, 1));
    fields.Add("inside_mean", m_monitor.GetMeanInside());
    fields.Add("inside_max", m_monitor.GetMostInside());
    fields.Add("messages_per_entry", PerEntry(m_messages));
    fields.AddCounts("messages_by_kind", m_monitor.GetMessages());
    fields.Add("frames_per_entry", PerEntry(m_monitor.GetTransmissions()));
    fields.AddCounts("frames_by_kind", m_monitor.GetFrames());
    for (const auto& [party, name] : PARTIES)
    {
        const auto traffic = m_monitor.GetTraffic(party);
        fields.Add(name + "_frames_per_entry", PerEntry(traffic.frames));
        fields.Add(name + "_bytes_per_entry", PerEntry(traffic.bytes));
    }
    fields.Add("bytes_per_entry", PerEntry(m_monitor.GetTransmittedBytes()));
    fields.Add("hello_airtime", m_helloShare);
    fields.Add("hello_bytes", m_helloBytes);
    fields.Add("airtime_s", m_monitor.GetAirtime().GetSeconds());
    fields.Add("token_moves", m_monitor.GetTokenMoves());
    fields.Add("link_ups", m_monitor.GetLinkUps());
    fields.Add("link_downs", m_monitor.GetLinkDowns());
    fields.AddCounts("link_downs_by_cause", m_monitor.GetCauses());
    fields.Add("doubts", m_monitor.GetDoubts());
    if (m_monitor.IsLocal())
    {
        fields.Add("demotions", m_monitor.GetDemotions());
        fields.Add("exposed_s", m_connectivity.GetExposed().GetSeconds());
        fields.Add("exposed_near_s", m_connectivity.GetExposedNear().GetSeconds());
    }
    fields.Add("unresolved", m_monitor.GetOpenDoubts());
    fields.Add("unknown_peers", m_monitor.GetUnknownPeers());
    fields.Add("violations", m_monitor.GetViolations());
    fields.AddText("first_violation", m_monitor.GetFirstViolation());
    fields.Add("partitions_s", m_connectivity.GetPartitioned().GetSeconds());
    fields.Add("connected_in_range", range.GetConnectedShare());
    fields.Add("connected_by_links", links.GetConnectedShare());
    fields.Add("degree_in_range", range.GetMeanDegree());
    fields.Add("degree_by_links", links.GetMeanDegree());
    fields.Add("diameter_in_range", range.GetMeanDiameter());
    fields.Add("diameter_by_links", links.GetMeanDiameter());
    fields.AddText("ns3_version", MUTEX_NS3_VERSION);
    fields.AddText("commit", m_options.commit);
    fields.Add("wall_s", m_cost.wall);
    fields.Add("sim_s_per_cpu_s", m_cost.simulated / m_cost.processor);
    fields.AddObject("options", Values(m_options));
    fields.End();
}

void
Summary::WriteLinks(const Row& row) const
{
    const auto& range = m_connectivity.GetInRange();
    const auto& links = m_connectivity.GetLinked();
    row("airtime of hellos around a node", Printed("%.2f %%", 100 * m_helloShare));
    row("links formed / closed",
        Printed("%.0f / %.0f", m_monitor.GetLinkUps() / 2.0, m_monitor.GetLinkDowns() / 2.0));
    row("links of a node, hops across",
        Printed("%.1f, %.1f (in range: %.1f",
                links.GetMeanDegree(),
                links.GetMeanDiameter(),
                range.GetMeanDegree()) +
            Printed(", %.1f)", range.GetMeanDiameter()));
    row("connected by links, in range",
        Printed("%.2f %%, %.2f %% of the time",
                100 * links.GetConnectedShare(),
                100 * range.GetConnectedShare()));
    if (m_monitor.IsLocal())
    {
        row("entries demoted as a link formed", std::to_string(m_monitor.GetDemotions()));
        row("inside with somebody in range",
            Printed("%.1f s before links were up (%.1f s of it in reach of one)",
                    m_connectivity.GetExposed().GetSeconds(),
                    m_connectivity.GetExposedNear().GetSeconds()));
    }
    else
    {
        row("tokens in doubt: total / unresolved", std::to_string(m_monitor.GetDoubts()) + " / " +
                                          std::to_string(m_monitor.GetOpenDoubts()));
    }
}

void
Summary::WriteTable(std::ostream& out) const
{
    const auto& range = m_connectivity.GetInRange();
    const Row row = [&](const std::string& name, const std::string& value) {
        out << "  " << std::left << std::setw(38) << name << value << '\n';
    };
    const auto count = [](uint64_t number) { return std::to_string(number); };
    out << m_options.protocol << " on " << m_options.nodes << " nodes, preset "
        << m_options.preset << ", seed " << m_options.seed << ", ns-3 " << MUTEX_NS3_VERSION
        << '\n';
    row("critical sections", count(m_monitor.GetEntries()) + " of " +
                                 count(m_monitor.GetRequests()) + " requests");
    row("wait, mean", Printed("%.3f s", m_waitMean));
    row("wait, median, 95 %, 99 %",
        Printed("%.3f  %.3f  %.3f s",
                Percentile(m_waits, 0.5),
                Percentile(m_waits, 0.95),
                Percentile(m_waits, 0.99)));
    row("messages per critical section", Printed("%.1f", PerEntry(m_messages)));
    for (const auto& [kind, number] : m_monitor.GetMessages())
    {
        row("  " + kind, Printed("%.1f", PerEntry(number)));
    }
    row("frames per critical section",
        Printed("%.1f (%.0f bytes), hellos included",
                PerEntry(m_monitor.GetTransmissions()),
                PerEntry(m_monitor.GetTransmittedBytes())));
    for (const auto& [party, name] : PARTIES)
    {
        const auto traffic = m_monitor.GetTraffic(party);
        row("  " + (party == ns3::MutexParty::RADIO ? "MAC" : name) + " frames",
            Printed("%.1f (%.0f bytes)", PerEntry(traffic.frames), PerEntry(traffic.bytes)));
    }
    if (m_monitor.IsRouted())
    {
        row("nodes in range of one, hops across",
            Printed("%.1f, %.1f", range.GetMeanDegree(), range.GetMeanDiameter()));
        row("connected in range",
            Printed("%.2f %% of the time", 100 * range.GetConnectedShare()));
    }
    else
    {
        WriteLinks(row);
    }
    row("unserved requests", count(m_monitor.GetWaiting()));
    if (m_monitor.GetUnknownPeers() > 0)
    {
        row("frames of unknown peers", count(m_monitor.GetUnknownPeers()));
    }
    row("violations", count(m_monitor.GetViolations()));
    row("speed", Printed("%.1f simulated seconds in %.1f s (%.1f a second of processor time)",
                         m_cost.simulated,
                         m_cost.wall,
                         m_cost.simulated / m_cost.processor));
    if (!m_monitor.GetFirstViolation().empty())
    {
        out << "FIRST VIOLATION: " << m_monitor.GetFirstViolation() << '\n';
    }
}

} // namespace scenario
