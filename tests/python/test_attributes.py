"""Wrong attributes are exceptions, not the end of the interpreter."""

import pytest
from manet_mutex import BadAttribute
from manet_mutex.bindings.attributes import checked

WRONG = [
    (
        "HelloIntervall",
        "1s",
        "ns3::MutexApplication has no attribute 'HelloIntervall'; did you mean",
    ),
    ("Xyz", "1s", "no attribute 'Xyz'; it has Protocol, Id, Population"),
    (
        "HelloInterval",
        "100xs",
        "HelloInterval of ns3::MutexApplication cannot be '100xs': it is Time",
    ),
    ("HelloInterval", "0s", "it is Time 0.001s:3600s"),
    ("HelloJitter", 0.9, "cannot be '0.9': it is double 0:0.5"),
    ("HelloJitter", "much", "cannot be 'much'"),
    ("HellosToForm", -1, "uint8_t 1:255"),
    ("HellosToForm", 300, "uint8_t 1:255"),
    ("HellosToForm", 1.5, "uint8_t 1:255"),
    ("Automatic", "perhaps", "cannot be 'perhaps': it is Boolean"),
    ("ThinkTime", "ns3::NoSuchVariable[Mean=3]", "ns3::NoSuchVariable not found"),
    ("ThinkTime", "ns3::ExponentialRandomVariable[Meen=3]", "RandomVariableStream"),
    ("ThinkTime", 3, "RandomVariableStream"),
    ("Device", None, "cannot be None: give a string"),
]


@pytest.mark.parametrize(("name", "value", "text"), WRONG)
def test_helper(ns, name, value, text):
    with pytest.raises(BadAttribute) as error:
        ns.MutexHelper("rl").SetAttribute(name, value)
    assert text in str(error.value)


def test_ns3s_own_values_are_checked_too(ns):
    helper = ns.MutexHelper("rl")
    with pytest.raises(BadAttribute, match="cannot be 'DoubleValue': it is Time"):
        helper.SetAttribute("HelloInterval", ns.DoubleValue(1))
    with pytest.raises(BadAttribute, match="cannot be 'soon'"):
        helper.SetAttribute("HelloInterval", ns.StringValue("soon"))


def test_application(ns, build):
    application = build(nodes=2).Get(0)
    with pytest.raises(BadAttribute, match="did you mean 'CsTime'"):
        application.SetAttribute("CSTime", "1s")


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("ns3::MutexAplication::Margin", 2, "no type 'ns3::MutexAplication'; did you mean"),
        ("ns3::MutexApplication::Margn", 2, "did you mean 'Margin'"),
        ("ns3::MutexApplication::Margin", 90, "double 0:60"),
    ],
)
def test_defaults(ns, name, value, text):
    with pytest.raises(BadAttribute, match=text):
        ns.Config.SetDefault(name, value)


def test_types_and_attributes_in_ns3s_helpers(ns):
    wifi = ns.WifiHelper()
    for arguments, text in [
        (("ns3::ConstantRateManager",), "no type 'ns3::ConstantRateManager'"),
        (("ns3::ConstantRateWifiManager", "DataMod", "x"), "did you mean 'DataMode'"),
        (("ns3::ConstantRateWifiManager", "DataMode", "Warp9"), "cannot be 'Warp9'"),
        (("ns3::ConstantRateWifiManager", "DataMode"), "'DataMode', has no value"),
    ]:
        with pytest.raises(BadAttribute, match=text):
            wifi.SetRemoteStationManager(*arguments)


@pytest.mark.parametrize("value", ["250ms", "0.25", "TimeValue"])
def test_right_values_take_effect(ns, value):
    if value == "TimeValue":
        value = ns.TimeValue(ns.MilliSeconds(250))
    helper = ns.MutexHelper("rl")
    helper.SetAttribute("HelloInterval", value)
    helper.SetAttribute("Margin", 4)
    application = helper.Install(ns.NodeContainer(1)).Get(0)
    interval, margin = ns.TimeValue(), ns.DoubleValue()
    application.GetAttribute("HelloInterval", interval)
    application.GetAttribute("Margin", margin)
    assert interval.Get().GetMilliSeconds() == 250
    assert margin.Get() == 4


def test_a_check_draws_no_random_stream(ns):
    """Objects that are made for a check alone would shift the streams of all that follow."""

    def next_stream():
        return ns.RngSeedManager.GetNextStreamIndex()

    before = next_stream()
    checked("ns3::MutexApplication", "ThinkTime", "ns3::UniformRandomVariable[Min=1|Max=2]")
    assert next_stream() == before + 1
