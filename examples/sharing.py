#!/usr/bin/env python3
"""The people of first_steps.py share more than one thing: several are inside at the same time.

    .venv/bin/python examples/sharing.py gme --groups 2     # members of one group enter together
    .venv/bin/python examples/sharing.py hk --units 3       # three alike things, asked for by number

Prints who was inside together, and how that compares with taking turns one by one.
"""

import argparse

from first_steps import connect, install_radios, make_nodes, ns


def install_protocol(nodes, stream, options):
    """As in first_steps.py, but eager: half a second of thought, a second inside."""
    mutex = ns.MutexHelper(options.protocol)
    mutex.SetAttribute("ThinkTime", "ns3::ExponentialRandomVariable[Mean=0.5]")
    mutex.SetAttribute("CsTime", "ns3::ConstantRandomVariable[Constant=1]")
    if options.protocol == "gme":
        last = options.groups - 1
        mutex.SetAttribute("Groups", options.groups)
        mutex.SetAttribute("Group", f"ns3::UniformRandomVariable[Min=0|Max={last}]")
    elif options.protocol == "hk":
        mutex.SetAttribute("K", options.units)
        mutex.SetAttribute("Units", f"ns3::UniformRandomVariable[Min=1|Max={options.units}]")
        mutex.SetAttribute("Priority", "ns3::UniformRandomVariable[Min=0|Max=2]")
    applications = mutex.Install(nodes)
    mutex.AssignStreams(nodes, stream)
    return applications


class Room:
    """Who is inside, with what, and how long how many were there together."""

    def __init__(self):
        self.inside = {}  # what each node inside was granted
        self.entries = 0
        self.since = 0.0
        self.seconds = {}  # with so many inside
        self.company = []  # the first times that several were inside, in words

    def pass_time(self):
        now = ns.Simulator.Now().GetSeconds()
        count = len(self.inside)
        self.seconds[count] = self.seconds.get(count, 0) + now - self.since
        self.since = now

    def enter(self, node, demand, waited):
        self.pass_time()
        self.entries += 1
        self.inside[node] = words(demand)
        if len(self.inside) > 1 and len(self.company) < 8:
            all_of_them = ", ".join(f"{who} ({what})" for who, what in sorted(self.inside.items()))
            self.company.append(f"{self.since:8.3f} s  inside: {all_of_them}")

    def leave(self, node, inside):
        self.pass_time()
        del self.inside[node]

    def print(self):
        print("Together for the first times:\n")
        print("\n".join(self.company) or "  never")
        print("\n inside  seconds")
        for count, seconds in sorted(self.seconds.items()):
            print(f"{count:7}  {seconds:7.1f}")
        total = sum(self.seconds.values())
        mean = sum(count * seconds for count, seconds in self.seconds.items()) / total
        print(f"\n{self.entries} entries in {total:.0f} s, {mean:.2f} inside on average")


def words(demand):
    """What was asked for, in words."""
    if demand.kind == ns.MutexDemand.GROUP:
        return f"group {demand.resource}"
    if demand.kind == ns.MutexDemand.UNITS:
        units = "unit" if demand.units == 1 else "units"
        return f"{demand.units} {units}, priority {demand.priority}"
    return "alone"


def main():
    parser = argparse.ArgumentParser(description="Several nodes inside at the same time.")
    parser.add_argument("protocol", choices=["gme", "hk", "rl"], help="rl: one by one, to compare")
    parser.add_argument("--groups", type=int, default=2, help="how many groups there are (2)")
    parser.add_argument("--units", type=int, default=3, help="how many units there are (3)")
    parser.add_argument("--nodes", type=int, default=10, help="how many nodes (10)")
    parser.add_argument("--duration", type=float, default=30, help="seconds to simulate (30)")
    parser.add_argument("--seed", type=int, default=1, help="another seed, another run (1)")
    options = parser.parse_args()
    if min(options.groups, options.units, options.nodes, options.seed) < 1 or options.duration <= 0:
        parser.error("all numbers must be positive")

    ns.RngSeedManager.SetRun(options.seed)
    nodes, stream = make_nodes(options.nodes, stream=0)
    stream = install_radios(nodes, stream)
    applications = install_protocol(nodes, stream, options)

    room = Room()
    connect(applications, "Enter", room.enter)
    connect(applications, "Release", room.leave)
    ns.Simulator.Stop(ns.Seconds(options.duration))
    ns.Simulator.Run()
    room.pass_time()
    ns.Simulator.Destroy()
    room.print()


if __name__ == "__main__":
    main()
