/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "run.h"

#include "beacon.h"
#include "network.h"
#include "progress.h"
#include "summary.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/mutex-application.h"
#include "ns3/mutex-event-log.h"
#include "ns3/mutex-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

namespace scenario
{

using namespace ns3;

namespace
{

/// How often a run looks whether it is over, and how far it is.
const Time LOOK = MilliSeconds(100);

ApplicationContainer
Install(const Options& options, const NodeContainer& nodes)
{
    MutexHelper helper(options.protocol);
    helper.SetAttribute("ThinkTime",
                        StringValue("ns3::ExponentialRandomVariable[Mean=" +
                                    std::to_string(options.think) + "]"));
    helper.SetAttribute("CsTime",
                        StringValue("ns3::ConstantRandomVariable[Constant=" +
                                    std::to_string(options.stay) + "]"));
    if (options.channel == "ideal")
    {
        // One for all, so that the core's simulator can repeat the run.
        helper.SetAttribute("Seed", UintegerValue(options.seed));
    }
    helper.SetAttribute("FirstRequest", TimeValue(Seconds(options.warmup)));
    helper.SetAttribute("Groups", UintegerValue(options.groups));
    helper.SetAttribute("Admission", StringValue(options.admission));
    helper.SetAttribute("K", UintegerValue(options.k));
    helper.SetAttribute("Order", StringValue(options.order));
    helper.SetAttribute("HelloInterval", TimeValue(Seconds(options.hello)));
    helper.SetAttribute("Margin", DoubleValue(options.margin));
    helper.SetAttribute("Hysteresis", DoubleValue(options.hysteresis));
    helper.SetAttribute("Smoothing", DoubleValue(options.smoothing));
    helper.SetAttribute("Sharing", BooleanValue(options.sharing));
    helper.SetAttribute("DeadAfter", DoubleValue(options.deadAfter));
    auto applications = helper.Install(nodes);
    MutexHelper::AssignStreams(nodes, 1);
    applications.Start(Seconds(0));
    return applications;
}

/// @param make does what the options ask for @returns its result @throws UsageError if it fails
template <typename Make>
auto
FromOptions(Make make) -> decltype(make())
{
    try
    {
        return make();
    }
    catch (const MutexError& error)
    {
        throw UsageError(error.what());
    }
}

/// @throws UsageError if standard output could not be written
void
FlushOutput()
{
    std::cout.flush();
    if (!std::cout)
    {
        throw UsageError("cannot write to standard output: is the disk full?");
    }
}

/// A run under way.
class Course
{
  public:
    explicit Course(const Options& options)
        : m_options(options),
          m_network(options),
          m_progress(options.progress, options.duration)
    {
        if (options.beacons > 0)
        {
            const auto interval = Seconds(options.hello);
            m_beacons = MakeBeacons(m_network.devices, options.beacons, interval);
        }
        else
        {
            m_applications = Install(options, m_network.nodes);
            m_monitor->Watch(m_applications);
            if (options.discard > 0)
            {
                Simulator::Schedule(Seconds(options.discard), &MutexMonitor::Restart, m_monitor);
            }
        }
        // Before, links have not formed yet.
        Simulator::Schedule(Seconds(std::max(options.warmup, options.discard)),
                            &Course::LookAround,
                            this);
        if (options.events && options.beacons == 0)
        {
            m_log = std::make_unique<MutexEventLog>(options.out + "/events.jsonl");
            m_log->Watch(m_applications);
        }
        Simulator::Schedule(LOOK, &Course::Look, this);
        Simulator::Schedule(Seconds(options.duration), &Course::Calm, this);
    }

    Course(const Course&) = delete;
    Course& operator=(const Course&) = delete;

    ~Course()
    {
        m_monitor->Dispose();
        m_connectivity->Dispose();
        Simulator::Destroy();
    }

    /// Runs to the end. @returns what it took
    Cost Finish()
    {
        const auto start = std::chrono::steady_clock::now();
        const auto processor = std::clock();
        Simulator::Run();
        const auto wall = std::chrono::steady_clock::now() - start;
        if (m_log)
        {
            // A file that cannot be written says nothing about the protocol.
            FromOptions([&] { m_log->Close(); });
        }
        return {std::chrono::duration<double>(wall).count(),
                static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC,
                Simulator::Now().GetSeconds()};
    }

    /// @param cost what it took @returns the outcome
    Summary Summarise(const Cost& cost) const
    {
        return Summary(m_options, *m_monitor, *m_connectivity, cost);
    }

  private:
    void LookAround()
    {
        m_connectivity->SetAttribute("Interval", TimeValue(MilliSeconds(500)));
        m_connectivity->SetAttribute("LinkMargin",
                                     DoubleValue(m_options.margin + m_options.hysteresis));
        m_connectivity->Start(m_network.nodes, m_network.oracle, m_monitor);
    }

    void Look()
    {
        m_progress.Show(Simulator::Now().GetSeconds());
        const bool served = m_monitor->GetWaiting() == 0 && m_monitor->GetInside() == 0;
        const bool over = Simulator::Now() >= Seconds(m_options.duration + m_options.grace);
        if (m_calm && ((served && m_monitor->GetOpenDoubts() == 0) || over))
        {
            Simulator::Stop();
            return;
        }
        Simulator::Schedule(LOOK, &Course::Look, this);
    }

    /// Nobody requests any more; what is pending has to be served.
    void Calm()
    {
        m_calm = true;
        m_connectivity->Stop();
        for (auto i = m_applications.Begin(); i != m_applications.End(); ++i)
        {
            DynamicCast<MutexApplication>(*i)->StopRequests();
        }
        if (m_options.heal)
        {
            m_network.Heal();
        }
    }

    const Options& m_options;                 //!< of the run
    Network m_network;                        //!< nodes and radios
    Progress m_progress;                      //!< shown
    ApplicationContainer m_applications;      //!< one for each node
    std::vector<std::unique_ptr<Beacon>> m_beacons; //!< instead of them
    Ptr<MutexMonitor> m_monitor{CreateObject<MutexMonitor>()};                //!< judges
    Ptr<MutexConnectivity> m_connectivity{CreateObject<MutexConnectivity>()}; //!< looks
    std::unique_ptr<MutexEventLog> m_log;     //!< if wanted
    bool m_calm{false};                       //!< whether nobody requests any more
};

} // namespace

bool
Run(const Options& options)
{
    if (options.beacons == 0)
    {
        std::error_code error;
        std::filesystem::create_directories(options.out, error);
        if (error)
        {
            throw UsageError("cannot make the folder " + options.out + ": " + error.message() +
                             "; give another one with --out=DIR");
        }
    }
    const auto course = FromOptions([&] { return std::make_unique<Course>(options); });
    const auto cost = course->Finish();
    if (options.beacons > 0)
    {
        std::cout << "{\"processor_s\": " << cost.processor << ", \"simulated_s\": "
                  << cost.simulated << "}\n";
        FlushOutput();
        return true;
    }
    const auto summary = course->Summarise(cost);
    std::ofstream file(options.out + "/summary.json");
    summary.WriteJson(file);
    file.close();
    if (!file)
    {
        throw UsageError("cannot write " + options.out + "/summary.json: is the disk full?");
    }
    if (options.format == "json")
    {
        summary.WriteJson(std::cout);
    }
    else
    {
        summary.WriteTable(std::cout);
        std::cout << "  results in " << options.out << '\n';
    }
    FlushOutput();
    return summary.IsClean();
}

} // namespace scenario
