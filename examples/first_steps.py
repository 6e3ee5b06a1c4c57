#!/usr/bin/env python3
"""Ten people walk about with radios and share one thing that only one of them may use at a time.

A first program with manet-mutex; first-steps.cc is the same in C++. Once scripts/setup python has
installed what it needs:

    .venv/bin/python examples/first_steps.py --nodes 10 --duration 30 --seed 1
"""

import argparse
import pathlib
import sys
import time

# The package manet_mutex is in the folder scripts, next to this one.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scripts"))
from manet_mutex import connect, load

began = time.perf_counter()
ns = load()  # ns-3's own names: whatever ns-3's documentation calls ns3::X is ns.X here
loaded = time.perf_counter()


def make_nodes(count, stream):
    """Nodes that walk about in a square of 120 m."""
    nodes = ns.NodeContainer(count)
    anywhere = ns.CreateObject[ns.RandomRectanglePositionAllocator]()
    anywhere.SetAttribute("X", "ns3::UniformRandomVariable[Min=0|Max=120]")
    anywhere.SetAttribute("Y", "ns3::UniformRandomVariable[Min=0|Max=120]")
    stream += anywhere.AssignStreams(stream)

    mobility = ns.MobilityHelper()
    mobility.SetPositionAllocator(anywhere)
    mobility.SetMobilityModel(
        "ns3::RandomDirection2dMobilityModel",
        *("Bounds", "0|120|0|120"),
        *("Speed", "ns3::UniformRandomVariable[Min=1|Max=5]"),  # m/s
        *("Pause", "ns3::ConstantRandomVariable[Constant=1]"),  # s, when the edge is reached
    )
    mobility.Install(nodes)
    stream += mobility.AssignStreams(nodes, stream)
    return nodes, stream


def install_radios(nodes, stream):
    """An 802.11g radio in ad hoc mode for each node. It reaches about 85 m."""
    channel = ns.YansWifiChannelHelper()
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel")
    channel.AddPropagationLoss(
        "ns3::LogDistancePropagationLossModel",
        *("ReferenceLoss", 40.05),  # dB after 1 m, at 2.4 GHz
    )
    phy = ns.YansWifiPhyHelper()
    phy.SetChannel(channel.Create())
    mac = ns.WifiMacHelper()
    mac.SetType("ns3::AdhocWifiMac")
    wifi = ns.WifiHelper()
    wifi.SetStandard(ns.WIFI_STANDARD_80211g)
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode", "ErpOfdmRate6Mbps")
    devices = wifi.Install(phy, mac, nodes)
    return stream + wifi.AssignStreams(devices, stream)


def install_protocol(nodes, stream):
    """Each node thinks for 3 s on average, then wants to enter, and stays inside for 0.1 s."""
    mutex = ns.MutexHelper("rl")
    mutex.SetAttribute("ThinkTime", "ns3::ExponentialRandomVariable[Mean=3]")
    mutex.SetAttribute("CsTime", "ns3::ConstantRandomVariable[Constant=0.1]")
    applications = mutex.Install(nodes)
    mutex.AssignStreams(nodes, stream)
    return applications


class Story:
    """What happened: its beginning in words, and all of it in numbers."""

    def __init__(self, count):
        self.lines = []
        self.waits = [[] for _ in range(count)]  # for each node, one wait per entry
        self.tokens = [0] * count
        self.links_up = [0] * count
        self.links_down = [0] * count

    def tell(self, node, what):
        if len(self.lines) < 12:
            now = ns.Simulator.Now().GetSeconds()
            self.lines.append(f"{now:8.3f} s  node {node:<3} {what}")

    # The trace sinks: ns-3 calls them when something happens at a node.

    def request(self, node, demand):
        self.tell(node, "wants to enter")

    def enter(self, node, demand, waited):
        self.waits[node].append(waited.GetSeconds())
        self.tell(node, "enters")

    def release(self, node, inside):
        self.tell(node, "leaves")

    def token_moved(self, node, sender):
        self.tokens[node] += 1
        # The first node finds the token in its own hands when it starts.
        self.tell(node, "has the token" if node == sender else f"gets the token from {sender}")

    def link_up(self, node, peer, role):
        self.links_up[node] += 1

    def link_down(self, node, peer, cause):
        self.links_down[node] += 1

    def watch(self, applications):
        connect(applications, "Request", self.request)
        connect(applications, "Enter", self.enter)
        connect(applications, "Release", self.release)
        connect(applications, "TokenMoved", self.token_moved)
        connect(applications, "LinkUp", self.link_up)
        connect(applications, "LinkDown", self.link_down)

    def print(self):
        print("What happened first:\n")
        print("\n".join(self.lines))
        print("\n node  entries  mean wait  longest  tokens  links up  links down")
        for node, waits in enumerate(self.waits):
            print(
                f"{node:5}  {len(waits):7}  {mean(waits):7.3f} s  {max(waits, default=0):5.3f} s"
                f"  {self.tokens[node]:6}  {self.links_up[node]:8}  {self.links_down[node]:10}"
            )
        everything = [wait for waits in self.waits for wait in waits]
        print(f"\n{len(everything)} entries, mean wait {mean(everything):.3f} s")


def mean(values):
    return sum(values) / len(values) if values else 0


def main():
    parser = argparse.ArgumentParser(description="Ten nodes take turns, by radio.")
    parser.add_argument("--nodes", type=int, default=10, help="how many nodes (10)")
    parser.add_argument("--duration", type=float, default=30, help="seconds to simulate (30)")
    parser.add_argument("--seed", type=int, default=1, help="another seed, another story (1)")
    options = parser.parse_args()
    if options.nodes < 1 or options.duration <= 0 or options.seed < 1:
        parser.error("--nodes, --duration and --seed must be positive")

    # The same seed is the same run, in Python and in C++: each part gets fixed streams of random
    # numbers, beginning where the part before ended.
    ns.RngSeedManager.SetRun(options.seed)
    nodes, stream = make_nodes(options.nodes, stream=0)
    stream = install_radios(nodes, stream)
    applications = install_protocol(nodes, stream)

    story = Story(options.nodes)
    story.watch(applications)

    start = time.perf_counter()
    ns.Simulator.Stop(ns.Seconds(options.duration))
    ns.Simulator.Run()
    seconds = time.perf_counter() - start
    ns.Simulator.Destroy()

    story.print()
    print(f"ns-3 loaded in {loaded - began:.1f} s, the run took {seconds:.1f} s")


if __name__ == "__main__":
    main()
