"""What the core refuses, and its failure, arrive as exceptions that one can live with."""

import pytest
from manet_mutex import schedule


def test_a_panic_of_the_core_names_node_time_and_cause(ns, build, run, record):
    victim = build().Get(3)
    schedule(1.5, lambda: victim.Panic())
    with pytest.raises(ns.MutexError) as error:
        run(10)
    assert "node 3 at +1.5s" in str(error.value)
    assert "panicked" in str(error.value) and "on demand" in str(error.value)
    assert ns.Simulator.Now().GetSeconds() == 1.5

    # The interpreter lives, and so do further runs.
    ns.Simulator.Destroy()
    events = record(build())
    run(10)
    assert any(event == "Enter" for _, event, _ in events)


def test_an_unknown_protocol(ns, build, run):
    for application in build(nodes=2):
        application.SetAttribute("Protocol", "magic")
    with pytest.raises(ns.MutexError, match="unknown protocol `magic`: use one of rl"):
        run(1)


def test_no_nodes(ns):
    with pytest.raises(ns.MutexError, match="there are no nodes"):
        ns.MutexHelper("rl").Install(ns.NodeContainer())


def test_no_radio(ns, run):
    nodes = ns.NodeContainer(2)
    ns.MutexHelper("rl").Install(nodes)
    with pytest.raises(ns.MutexError, match="install a Wi-Fi device"):
        run(1)


def test_a_request_too_many(ns, build, run):
    application = build(nodes=2).Get(1)
    application.SetAttribute("Automatic", False)
    refused = []

    def request_twice():
        application.Request()
        try:
            application.Request()
        except ns.MutexError as error:
            refused.append(str(error))

    schedule(0.1, request_twice)
    run(1)
    assert len(refused) == 1 and "node 1" in refused[0]
