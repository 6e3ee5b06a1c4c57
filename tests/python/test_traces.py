"""Python functions as trace sinks and events."""

import gc
import weakref

import pytest
from manet_mutex import connect, schedule

# What sinks of each trace source get, after the node.
TRACES = {
    "Request": ["MutexDemand"],
    "Enter": ["MutexDemand", "Time"],
    "Release": ["Time"],
    "Demote": [],
    "LinkUp": ["int", "MutexRole"],
    "LinkDown": ["int", "str"],
    "Tx": ["MutexMessage"],
    "Rx": ["MutexMessage"],
    "TokenMoved": ["int"],
    "Towards": ["int"],
    "Doubt": ["MutexMessage", "MutexDoubt"],
    "Reach": ["int", "bool"],
    "FrameTx": ["Ptr<const ns3::Packet>", "str"],
    "Motion": ["Vector3D", "Vector3D"],
    "Broken": ["str"],
    "Start": ["int"],
    "Stop": ["int"],
}
# These need bad luck, which 20 s do not always bring.
RARE = {"Demote", "Doubt", "Reach", "Broken", "Stop"}


def test_every_trace_source_gives_its_values(ns, build, run):
    applications = build()
    calls = {trace: [] for trace in TRACES}
    for trace in TRACES:
        connect(applications, trace, lambda *values, trace=trace: calls[trace].append(values))
    run(20)
    for trace, types in TRACES.items():
        assert calls[trace] or trace in RARE, f"{trace} never fired"
        for node, *values in calls[trace]:
            assert 0 <= node < 10
            assert [type(value).__name__ for value in values] == types


def test_trace_sources_are_all_there_and_need_no_compiling(ns):
    type_id = ns.MutexApplication.GetTypeId()
    sources = {
        str(source.name): str(source.callback)
        for source in map(type_id.GetTraceSource, range(type_id.GetTraceSourceN()))
    }
    assert sorted(sources) == sorted(TRACES)
    for signature in sources.values():
        known = ns.cppyy.gbl.manet_mutex_python.ArgumentsOf(signature)
        assert known != "unknown", f"add {signature} to mutex-python.cc"


def test_values_may_be_kept(ns, build, run):
    applications = build()
    kept, then = [], []

    def enter(node, demand, waited):
        assert demand.__python_owns__ and waited.__python_owns__
        kept.append((demand, waited))
        then.append((demand.kind, waited.GetNanoSeconds()))

    def frame(node, packet, kind):
        # The packet itself goes on its way and gets headers.
        kept.append((packet.Copy(), kind))
        then.append((packet.GetSize(), kind))

    connect(applications, "Enter", enter)
    connect(applications, "FrameTx", frame)
    run(10)
    ns.Simulator.Destroy()
    now = [
        (what.GetSize(), more) if isinstance(more, str) else (what.kind, more.GetNanoSeconds())
        for what, more in kept
    ]
    assert now == then
    assert {kind for kind, _ in then if isinstance(kind, int)} and len(now) > 100


def test_enumerations_can_be_compared(ns, build, run):
    roles = []
    connect(build(), "LinkUp", lambda node, peer, role: roles.append(role))
    run(5)
    assert set(roles) == {ns.MutexRole.STATIC, ns.MutexRole.MOVING}
    assert "MOVING" in {repr(role).split("::")[-1].split(")")[0] for role in roles}


def test_a_function_lives_as_long_as_what_it_is_connected_to(ns, build, run):
    class Sink:
        calls = 0

        def __call__(self, *_):
            Sink.calls += 1

    sink = Sink()
    watch = weakref.ref(sink)
    applications = build()
    connect(applications, "Enter", sink)
    del sink
    gc.collect()
    run(5)
    assert Sink.calls > 0 and watch() is not None

    ns.Simulator.Destroy()
    del applications
    schedule(0, lambda: None)  # looks for what is not needed any more
    gc.collect()
    assert watch() is None


def test_what_a_sink_raises_arrives(ns, build, run):
    def complain(node, *_):
        raise LookupError(f"node {node} came in")

    connect(build(), "Enter", complain)
    with pytest.raises(LookupError, match="node 0 came in"):
        run(5)


def test_trace_sources_of_ns3_itself(ns, build, run):
    applications = build(nodes=3)
    turns = []
    for application in applications:
        mobility = application.GetNode().GetObject[ns.MobilityModel]()
        connect(mobility, "CourseChange", lambda model: turns.append(model.GetVelocity().x))
    run(60)
    assert len(turns) > 3


@pytest.mark.parametrize(
    ("trace", "function", "error", "text"),
    [
        ("Entr", print, ValueError, "no trace source 'Entr'; it has Request, Enter, Release"),
        ("Enter", None, TypeError, "a function to call, not None"),
    ],
)
def test_mistakes_are_named(build, trace, function, error, text):
    with pytest.raises(error, match=text):
        connect(build(nodes=2), trace, function)


def test_connecting_what_has_no_traces():
    with pytest.raises(TypeError, match="no object of ns-3"):
        connect(7, "Enter", print)


def test_events(ns, run):
    calls = []
    for delay in (2, 0.5, 1):
        schedule(delay, lambda: calls.append(ns.Simulator.Now().GetSeconds()))
    schedule(1.5, lambda: calls.append("cancelled")).Cancel()
    schedule(1.25, lambda: schedule(0.5, lambda: calls.append("later")))
    run(10)
    assert calls == [0.5, 1, "later", 2]


@pytest.mark.parametrize("delay", [-1, float("nan")])
def test_events_of_the_past(delay):
    with pytest.raises(ValueError, match="0 or more"):
        schedule(delay, print)


def test_a_trace_source_whose_type_is_not_loaded(ns, build):
    phy = build(nodes=1).Get(0).GetNode().GetDevice(0).GetObject[ns.WifiNetDevice]().GetPhy()
    with pytest.raises(ValueError, match='MonitorSnifferRxTracedCallback.*as in load."wifi"'):
        connect(phy, "MonitorSnifferRx", print)
