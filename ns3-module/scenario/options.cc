/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "options.h"

#include "json.h"

#include "ns3/boolean.h"
#include "ns3/command-line.h"
#include "ns3/double.h"
#include "ns3/global-value.h"
#include "ns3/mutex-application.h"
#include "ns3/nstime.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <regex>
#include <sstream>
#include <type_traits>
#include <variant>

namespace scenario
{

using namespace ns3;

namespace
{

/// The names of presets, in the order in which they are shown.
const std::vector<std::string> PRESETS{"default", "fast", "no-warning", "sparse", "large", "ideal"};

const std::vector<std::string> MOBILITIES{"random-direction",
                                          "random-waypoint",
                                          "gauss-markov",
                                          "static",
                                          "grid"};
const std::vector<std::string> LOSSES{"log-distance", "nakagami", "range", "friis"};
const std::vector<std::string> STANDARDS{"80211a", "80211b", "80211g", "80211n"};
const std::vector<std::string> ROUTINGS{"olsr", "aodv", "dsdv"};

/// @param words to choose from @returns them in a row
std::string
Listed(const std::vector<std::string>& words)
{
    std::string text;
    for (const auto& word : words)
    {
        text += (text.empty() ? "" : ", ") + word;
    }
    return text;
}

/// @param name of an attribute of the application @returns its default
template <typename Value>
Value
DefaultOf(const std::string& name)
{
    TypeId::AttributeInformation info;
    MutexApplication::GetTypeId().LookupAttributeByName(name, &info);
    return *DynamicCast<const Value>(info.initialValue);
}

/// An option: its name, what it is, and where its value goes.
struct Option
{
    std::string name;
    std::string help;
    std::variant<std::string*, double*, uint32_t*, uint64_t*, bool*> value;
};

std::vector<Option>
Table(Options& o)
{
    return {
        {"preset", "what the other options change: " + Listed(PRESETS), &o.preset},
        {"protocol", "the protocol: " + MutexApplication::GetProtocols(), &o.protocol},
        {"nodes", "number of nodes", &o.nodes},
        {"seed", "of all randomness; 0: take RngRun", &o.seed},
        {"duration", "seconds in which applications request", &o.duration},
        {"warmup", "seconds before they begin to", &o.warmup},
        {"discard", "seconds at the beginning that are not measured", &o.discard},
        {"grace", "seconds after the duration in which everything pending must be served", &o.grace},
        {"heal", "after the duration, let everybody reach everybody", &o.heal},
        {"side", "of the square field, in metres", &o.side},
        {"mobility", "how nodes move: " + Listed(MOBILITIES), &o.mobility},
        {"speed", "metres per second", &o.speed},
        {"pause", "seconds at each turn", &o.pause},
        {"channel", "wifi or ideal (fixed delay, no loss)", &o.channel},
        {"delay", "of the ideal channel, in seconds", &o.delay},
        {"range", "of the ideal channel and of --loss=range, in metres", &o.range},
        {"loss", "of power on the way: " + Listed(LOSSES), &o.loss},
        {"standard", "of the radio: " + Listed(STANDARDS), &o.standard},
        {"routing", "below protocols that need it: " + Listed(ROUTINGS), &o.routing},
        {"arpDead", "seconds for which ARP gives a silent neighbour up (ns-3: 100)", &o.arpDead},
        {"groups", "gme: number of groups", &o.groups},
        {"admission", "gme: who may join a session, paper or close-on-conflict", &o.admission},
        {"k", "hk: number of units", &o.k},
        {"order", "hk: whose turn it is, priority, aged:C or fewest", &o.order},
        {"think", "mean seconds between leaving and the next request", &o.think},
        {"stay", "seconds inside the critical section", &o.stay},
        {"hello", "seconds between two hellos", &o.hello},
        {"margin", "dB above the sensitivity below which links close", &o.margin},
        {"hysteresis", "dB above the margin at which links form", &o.hysteresis},
        {"smoothing", "weight of the newest hello in the average power", &o.smoothing},
        {"sharing", "let messages ride on hellos", &o.sharing},
        {"deadAfter", "hello intervals of silence after which links close", &o.deadAfter},
        {"beacons", "send only hellos of so many bytes, without a protocol", &o.beacons},
        {"out", "folder of the results", &o.out},
        {"commit", "written into the summary", &o.commit},
        {"format", "table or json", &o.format},
        {"events", "write events.jsonl", &o.events},
        {"progress", "on, off or auto", &o.progress},
    };
}

/// @throws UsageError unless `value` is a number that `option` can take
void
CheckNumber(const Option& option, const std::string& value)
{
    const bool whole = std::holds_alternative<uint32_t*>(option.value) ||
                       std::holds_alternative<uint64_t*>(option.value);
    const bool real = std::holds_alternative<double*>(option.value);
    if (!whole && !real)
    {
        return;
    }
    std::istringstream stream(value);
    double number;
    const bool read = static_cast<bool>(stream >> number) && stream.eof();
    if (!read || !std::isfinite(number) ||
        (whole && (number < 0 || number != std::floor(number) || number > 4294967295.0)))
    {
        throw UsageError("--" + option.name + "=" + value + ": use a " +
                         (whole ? "whole number from 0 on" : "number") + " (" + option.help + ")");
    }
}

/// @throws UsageError unless the argument sets an attribute of ns-3 to a value that it can take
void
CheckAttribute(const std::string& name, const std::string& value)
{
    const auto split = name.rfind("::");
    TypeId type;
    TypeId::AttributeInformation info;
    if (split == std::string::npos ||
        !TypeId::LookupByNameFailSafe(name.substr(0, split), &type) ||
        !type.LookupAttributeByName(name.substr(split + 2), &info))
    {
        throw UsageError("unknown ns-3 attribute `" + name +
                         "`: write --ns3::Class::Attribute=value; --PrintGroups and "
                         "--PrintAttributes=ns3::Class list them");
    }
    // ns-3 ends the program over a time that it cannot read.
    static const std::regex time("[-+]?[0-9]+([.][0-9]*)?(e[-+]?[0-9]+)?(s|ms|us|ns|ps|fs|min|h|d|y)?");
    const auto kind = info.checker->GetValueTypeName();
    if ((kind == "ns3::TimeValue" && !std::regex_match(value, time)) ||
        !info.checker->CreateValidValue(StringValue(value)))
    {
        throw UsageError("--" + name + "=" + value + ": this attribute takes a " +
                         kind + " (" + info.help + ")");
    }
}

/// @throws UsageError if ns-3's CommandLine would stop the program over an argument
void
CheckArgument(const std::string& argument, const std::vector<Option>& table)
{
    if (argument.rfind("--", 0) != 0)
    {
        throw UsageError("`" + argument + "` is no option: write --name=value; --help lists them");
    }
    const auto equals = argument.find('=');
    const auto name = argument.substr(2, equals - 2);
    const auto value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    if (name == "help" || name == "version" || name.rfind("Print", 0) == 0)
    {
        return;
    }
    const auto known = std::find_if(table.begin(), table.end(), [&](const Option& option) {
        return option.name == name;
    });
    if (known != table.end())
    {
        if (equals == std::string::npos && !std::holds_alternative<bool*>(known->value))
        {
            throw UsageError("--" + name + " needs a value: write --" + name + "=VALUE");
        }
        CheckNumber(*known, value);
        return;
    }
    for (auto global = GlobalValue::Begin(); global != GlobalValue::End(); ++global)
    {
        if ((*global)->GetName() == name)
        {
            return;
        }
    }
    if (name.rfind("ns3::", 0) == 0)
    {
        CheckAttribute(name, value);
        return;
    }
    throw UsageError("unknown option --" + name + ": --help lists them");
}

/// ns-3 takes a text up to its first space only; folders may have some. Takes all of it.
void
TakeTexts(const std::vector<std::string>& arguments, const std::vector<Option>& table)
{
    for (const auto& argument : arguments)
    {
        for (const auto& option : table)
        {
            const auto* text = std::get_if<std::string*>(&option.value);
            const auto name = "--" + option.name + "=";
            if (text && argument.rfind(name, 0) == 0)
            {
                **text = argument.substr(name.size());
            }
        }
    }
}

void
Require(bool good, const std::string& what)
{
    if (!good)
    {
        throw UsageError(what);
    }
}

void
RequireOneOf(const std::string& name,
             const std::string& value,
             const std::vector<std::string>& words)
{
    Require(std::find(words.begin(), words.end(), value) != words.end(),
            "unknown --" + name + "=" + value + ": use one of " + Listed(words));
}

/// @throws UsageError unless all values can be meant
void
Check(const Options& o)
{
    RequireOneOf("mobility", o.mobility, MOBILITIES);
    RequireOneOf("loss", o.loss, LOSSES);
    RequireOneOf("standard", o.standard, STANDARDS);
    RequireOneOf("routing", o.routing, ROUTINGS);
    RequireOneOf("channel", o.channel, {"wifi", "ideal"});
    RequireOneOf("format", o.format, {"table", "json"});
    RequireOneOf("progress", o.progress, {"on", "off", "auto"});
    Require(o.nodes >= 1, "--nodes=0: a network needs at least one node");
    Require(o.duration > 0, "--duration must be above 0 seconds");
    Require(o.warmup >= 0 && o.grace >= 0, "--warmup and --grace must not be negative");
    Require(o.discard >= 0 && o.discard < o.duration,
            "--discard must not be negative, and less than --duration");
    Require(o.side > 0, "--side must be above 0 metres");
    Require(o.speed >= 0 && o.pause >= 0, "--speed and --pause must not be negative");
    const bool moves = o.mobility != "static" && o.mobility != "grid";
    Require(o.speed > 0 || !moves,
            "--speed=0: nodes that move need one; for nodes that stay use --mobility=static");
    Require(o.delay >= 0 && o.range > 0, "--delay must not be negative, --range must be above 0");
    Require(o.channel == "wifi" || !moves,
            "--channel=ideal is for nodes that stay: use --mobility=grid or static");
    Require(o.arpDead > 0, "--arpDead must be above 0 seconds");
    Require(o.groups >= 1 && o.k >= 1, "--groups and --k must be 1 or more");
    Require(o.think >= 0 && o.stay >= 0, "--think and --stay must not be negative");
    // Six places are handed to ns-3.
    Require(o.think >= 1e-6 || o.stay >= 1e-6,
            "--think and --stay are both 0: such a run never ends; use 0.000001 or more for one "
            "of them");
    Require(o.hello >= 0.001 && o.hello <= 3600, "--hello: use 0.001 to 3600 seconds");
    Require(o.margin >= 0 && o.margin <= 60, "--margin: use 0 to 60 dB");
    Require(o.hysteresis >= 0 && o.hysteresis <= 60, "--hysteresis: use 0 to 60 dB");
    Require(o.smoothing >= 0.001 && o.smoothing <= 1, "--smoothing: use 0.001 to 1");
    Require(o.deadAfter >= 1.5 && o.deadAfter <= 1000, "--deadAfter: use 1.5 to 1000");
    Require(o.beacons <= 2000, "--beacons: use at most 2000 bytes");
}

} // namespace

Options::Options()
    : groups(DefaultOf<UintegerValue>("Groups").Get()),
      admission(DefaultOf<StringValue>("Admission").Get()),
      k(DefaultOf<UintegerValue>("K").Get()),
      order(DefaultOf<StringValue>("Order").Get()),
      hello(DefaultOf<TimeValue>("HelloInterval").Get().GetSeconds()),
      margin(DefaultOf<DoubleValue>("Margin").Get()),
      hysteresis(DefaultOf<DoubleValue>("Hysteresis").Get()),
      smoothing(DefaultOf<DoubleValue>("Smoothing").Get()),
      sharing(DefaultOf<BooleanValue>("Sharing").Get()),
      deadAfter(DefaultOf<DoubleValue>("DeadAfter").Get())
{
}

Options
Options::Preset(const std::string& name)
{
    RequireOneOf("preset", name, PRESETS);
    Options o;
    o.preset = name;
    if (name == "fast" || name == "no-warning" || name == "sparse")
    {
        o.side = 115;
        o.speed = 20;
        o.hello = 0.1;
        o.hysteresis = 3;
        o.smoothing = 0.3;
        o.deadAfter = 6;
        o.loss = "nakagami";
    }
    if (name == "no-warning")
    {
        o.side = 170;
        o.loss = "range";
    }
    if (name == "sparse")
    {
        o.side = 430;
        o.heal = true;
    }
    if (name == "large")
    {
        o.nodes = 100;
        o.side = 214;
    }
    if (name == "ideal")
    {
        o.channel = "ideal";
        o.mobility = "grid";
        o.side = 240;
        o.range = 60;
        // As in the core's own simulator, which the preset is compared with.
        o.sharing = false;
    }
    return o;
}

std::vector<std::pair<std::string, std::string>>
Values(Options options)
{
    std::vector<std::pair<std::string, std::string>> values;
    for (const auto& option : Table(options))
    {
        std::ostringstream text;
        text << std::boolalpha << std::setprecision(10);
        std::visit(
            [&](auto value) {
                if constexpr (std::is_same_v<decltype(value), std::string*>)
                {
                    text << Quoted(*value);
                }
                else
                {
                    text << *value;
                }
            },
            option.value);
        values.emplace_back(option.name, text.str());
    }
    return values;
}

Options
Parse(const std::vector<std::string>& arguments, const std::string& program)
{
    auto preset = Options().preset;
    for (const auto& argument : arguments)
    {
        if (argument.rfind("--preset=", 0) == 0)
        {
            preset = argument.substr(9);
        }
    }
    auto options = Options::Preset(preset);
    const auto table = Table(options);

    CommandLine command(program);
    command.Usage("Mutual exclusion over ns-3's 802.11 ad hoc radio.");
    for (const auto& option : table)
    {
        std::visit([&](auto value) { command.AddValue(option.name, option.help, *value); },
                   option.value);
    }
    for (const auto& argument : arguments)
    {
        CheckArgument(argument, table);
    }
    std::vector<std::string> all{program};
    all.insert(all.end(), arguments.begin(), arguments.end());
    command.Parse(all);
    TakeTexts(arguments, table);

    if (options.seed == 0)
    {
        options.seed = RngSeedManager::GetRun();
    }
    RngSeedManager::SetRun(options.seed);
    Check(options);
    if (options.out.empty())
    {
        options.out = "results/" + options.protocol + "-" + options.preset + "-" +
                      std::to_string(options.seed);
    }
    return options;
}

} // namespace scenario
