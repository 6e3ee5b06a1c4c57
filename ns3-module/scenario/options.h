/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_OPTIONS_H
#define SCENARIO_OPTIONS_H

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace scenario
{

/// An invalid command line. The text says what to do.
class UsageError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// All that makes up a run. What is written here is the preset `default`.
struct Options
{
    std::string preset{"default"}; //!< what the other options change
    std::string protocol{"rl"};    //!< the core's name of it
    uint32_t nodes{30};            //!< how many
    uint64_t seed{0};              //!< 0: ns-3's RngRun
    double duration{60};           //!< seconds in which applications request
    double warmup{5};              //!< seconds before they begin to
    double discard{0};             //!< seconds before anything is measured
    double grace{60};              //!< seconds after, in which all that is pending must be served
    bool heal{false};              //!< whether everybody then reaches everybody

    double side{145};                        //!< of the square field, in metres
    std::string mobility{"random-direction"}; //!< how nodes move
    double speed{5};                         //!< metres per second
    double pause{0};                         //!< seconds at each turn

    std::string channel{"wifi"};      //!< or ideal
    double delay{0.001};              //!< of the ideal channel, in seconds
    double range{85.6};               //!< of the ideal channel and of the loss model range, in metres
    std::string loss{"log-distance"}; //!< of power on the way
    std::string standard{"80211g"};   //!< of the radio
    std::string routing{"olsr"};      //!< below protocols that speak to any node
    double arpDead{1};                //!< seconds for which ARP gives a neighbour up

    uint32_t groups;       //!< gme: how many
    std::string admission; //!< gme: who may join a session
    uint32_t k;            //!< hk: units
    std::string order;     //!< hk: whose turn it is

    double think{20}; //!< mean seconds between leaving and the next request
    double stay{0.1}; //!< seconds inside

    double hello;      //!< seconds between two hellos
    double margin;     //!< dB above the sensitivity below which links close
    double hysteresis; //!< dB above that at which they form
    double smoothing;  //!< weight of the newest hello
    bool sharing;      //!< whether messages ride on hellos
    double deadAfter;  //!< hello intervals of silence

    uint32_t beacons{0};         //!< bytes of hellos without a protocol; 0: a protocol runs
    std::string out;             //!< folder of the results
    std::string commit{"unknown"}; //!< of the program
    std::string format{"table"}; //!< or json
    bool events{true};           //!< whether events.jsonl is written
    std::string progress{"auto"}; //!< on, off, or auto: if somebody looks

    /// The core's own defaults for what has no value here.
    Options();

    /**
     * @param name of a preset
     * @returns it
     * @throws UsageError if there is none of that name
     */
    static Options Preset(const std::string& name);
};

/**
 * @param options of a run
 * @returns the names of all of them, and their values as JSON
 */
std::vector<std::pair<std::string, std::string>> Values(Options options);

/**
 * Reads a command line with ns-3's CommandLine. Options of ns-3 itself, such as --RngRun and
 * defaults of attributes, take effect at once.
 * @param arguments without the program's name
 * @param program its name
 * @returns the options, all of which can be meant
 * @throws UsageError otherwise
 */
Options Parse(const std::vector<std::string>& arguments, const std::string& program);

} // namespace scenario

#endif // SCENARIO_OPTIONS_H
