/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The attributes and trace sources of MutexApplication, and how they become settings of the core.
#include "mutex-application-core.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(MutexApplication);

namespace
{

/**
 * @param nanos a time of the core
 * @returns the same as attribute value
 */
TimeValue
Nanos(uint64_t nanos)
{
    return TimeValue(NanoSeconds(nanos));
}

} // namespace

TypeId
MutexApplication::GetTypeId()
{
    // Defaults are the core's own: written once, there.
    static const manet_mutex::Settings core = manet_mutex::default_settings();
    static TypeId tid =
        TypeId("ns3::MutexApplication")
            .SetParent<Application>()
            .SetGroupName("ManetMutex")
            .AddConstructor<MutexApplication>()
            .AddAttribute("Protocol",
                          "The protocol: one of " + GetProtocols() + ".",
                          StringValue(std::string(core.protocol)),
                          MakeStringAccessor(&MutexApplication::m_protocol),
                          MakeStringChecker())
            .AddAttribute("Id",
                          "The node's name in the protocol, below Population. Node 0 starts with "
                          "the token, in life 0. Set by MutexHelper.",
                          UintegerValue(core.id),
                          MakeUintegerAccessor(&MutexApplication::m_id),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Population",
                          "How many nodes the protocol runs on, at most 1048576. Set by "
                          "MutexHelper.",
                          UintegerValue(core.nodes),
                          MakeUintegerAccessor(&MutexApplication::m_population),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Device",
                          "The device to use; if not given, the node's first Wi-Fi device, or else "
                          "its first device that can broadcast.",
                          PointerValue(),
                          MakePointerAccessor(&MutexApplication::m_device),
                          MakePointerChecker<NetDevice>())
            .AddAttribute("Automatic",
                          "Whether the node requests and releases by itself.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&MutexApplication::m_automatic),
                          MakeBooleanChecker())
            .AddAttribute("ThinkTime",
                          "Seconds between leaving and the next request.",
                          StringValue("ns3::ExponentialRandomVariable[Mean=10]"),
                          MakePointerAccessor(&MutexApplication::m_thinkTime),
                          MakePointerChecker<RandomVariableStream>())
            .AddAttribute("CsTime",
                          "Seconds inside the critical section.",
                          StringValue("ns3::ConstantRandomVariable[Constant=0.1]"),
                          MakePointerAccessor(&MutexApplication::m_csTime),
                          MakePointerChecker<RandomVariableStream>())
            .AddAttribute("FirstRequest",
                          "When thinking before the first request begins, after the start.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&MutexApplication::m_firstRequest),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("LastRequest",
                          "No automatic request is made after this time of the simulation; 0: "
                          "there is no such time.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&MutexApplication::m_lastRequest),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("HelloInterval",
                          "Time between two hellos: 0.5 s up to 5 m/s, 0.1 s up to 20 m/s.",
                          Nanos(core.hello_interval),
                          MakeTimeAccessor(&MutexApplication::m_helloInterval),
                          MakeTimeChecker(MilliSeconds(1), Hours(1)))
            .AddAttribute("HelloJitter",
                          "By which share a hello comes earlier or later, at random.",
                          DoubleValue(core.jitter),
                          MakeDoubleAccessor(&MutexApplication::m_helloJitter),
                          MakeDoubleChecker<double>(0, 0.5))
            .AddAttribute("Sensitivity",
                          "The weakest power in dBm that the radio receives. For ns-3's Wi-Fi that "
                          "is the threshold of preamble detection, not RxSensitivity.",
                          DoubleValue(core.sensitivity),
                          MakeDoubleAccessor(&MutexApplication::m_sensitivity),
                          MakeDoubleChecker<double>(-200, 100))
            .AddAttribute("Margin",
                          "How far above Sensitivity, in dB, the average power must stay for a "
                          "link to be kept.",
                          DoubleValue(core.margin),
                          MakeDoubleAccessor(&MutexApplication::m_margin),
                          MakeDoubleChecker<double>(0, 60))
            .AddAttribute("Hysteresis",
                          "How far above Margin, in dB, it must be for a link to form.",
                          DoubleValue(core.hysteresis),
                          MakeDoubleAccessor(&MutexApplication::m_hysteresis),
                          MakeDoubleChecker<double>(0, 60))
            .AddAttribute("Smoothing",
                          "Weight of the newest hello in the average power.",
                          DoubleValue(core.smoothing),
                          MakeDoubleAccessor(&MutexApplication::m_smoothing),
                          MakeDoubleChecker<double>(0.001, 1))
            .AddAttribute("Sharing",
                          "Whether messages ride on hellos, which then come earlier; if not, each "
                          "is a frame of its own for one peer.",
                          BooleanValue(core.sharing),
                          MakeBooleanAccessor(&MutexApplication::m_sharing),
                          MakeBooleanChecker())
            .AddAttribute("HellosToForm",
                          "Hellos in a row that it takes to hear a peer.",
                          UintegerValue(core.hellos_to_form),
                          MakeUintegerAccessor(&MutexApplication::m_hellosToForm),
                          MakeUintegerChecker<uint8_t>(1))
            .AddAttribute("MissesTolerated",
                          "Hellos missed in a row before misses count as weak power.",
                          UintegerValue(core.misses_tolerated),
                          MakeUintegerAccessor(&MutexApplication::m_missesTolerated),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("DeadAfter",
                          "Silence after which a link closes, in hello intervals.",
                          DoubleValue(core.dead_after),
                          MakeDoubleAccessor(&MutexApplication::m_deadAfter),
                          MakeDoubleChecker<double>(1.5, 1000))
            .AddAttribute("QueryAfter",
                          "Doubt that lasts so long is asked about through other nodes.",
                          Nanos(core.query_after),
                          MakeTimeAccessor(&MutexApplication::m_queryAfter),
                          MakeTimeChecker(MilliSeconds(1)))
            .AddAttribute("QueryEvery",
                          "Time between such questions.",
                          Nanos(core.query_every),
                          MakeTimeAccessor(&MutexApplication::m_queryEvery),
                          MakeTimeChecker(MilliSeconds(1)))
            .AddAttribute("ResendFirst",
                          "Over routing: time without an acknowledgement after which a message is "
                          "sent again, as long as nothing is known of round trips.",
                          Nanos(core.resend_first),
                          MakeTimeAccessor(&MutexApplication::m_resendFirst),
                          MakeTimeChecker(MilliSeconds(1)))
            .AddAttribute("ResendShortest",
                          "Over routing: the shortest such time.",
                          Nanos(core.resend_shortest),
                          MakeTimeAccessor(&MutexApplication::m_resendShortest),
                          MakeTimeChecker(MilliSeconds(1)))
            .AddAttribute("ResendLongest",
                          "Over routing: the longest such time, to which it doubles.",
                          Nanos(core.resend_longest),
                          MakeTimeAccessor(&MutexApplication::m_resendLongest),
                          MakeTimeChecker(MilliSeconds(1)))
            .AddAttribute("UnreachableAfter",
                          "Over routing: silence after which a node that owes an answer is "
                          "reported by the trace Reach.",
                          Nanos(core.unreachable_after),
                          MakeTimeAccessor(&MutexApplication::m_unreachableAfter),
                          MakeTimeChecker(MilliSeconds(1)))
            .AddAttribute("RaiseBurst",
                          "Link reversal: raises in a row before a node without lower neighbours "
                          "waits; 0: it never waits, as in the paper.",
                          UintegerValue(core.raise_burst),
                          MakeUintegerAccessor(&MutexApplication::m_raiseBurst),
                          MakeUintegerChecker<uint16_t>())
            .AddAttribute("RaiseRetry",
                          "Link reversal: time between raises once the burst is spent.",
                          Nanos(core.raise_retry),
                          MakeTimeAccessor(&MutexApplication::m_raiseRetry),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("RaiseQuiet",
                          "Link reversal: time without a raise after which the burst is whole "
                          "again.",
                          Nanos(core.raise_quiet),
                          MakeTimeAccessor(&MutexApplication::m_raiseQuiet),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Groups",
                          "gme: how many groups there are.",
                          UintegerValue(core.groups),
                          MakeUintegerAccessor(&MutexApplication::m_groups),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Group",
                          "gme: the group to ask for, below Groups; if not given, any.",
                          PointerValue(),
                          MakePointerAccessor(&MutexApplication::m_group),
                          MakePointerChecker<RandomVariableStream>())
            .AddAttribute("Admission",
                          "gme: who may join a session, paper or close-on-conflict.",
                          StringValue(std::string(core.admission)),
                          MakeStringAccessor(&MutexApplication::m_admission),
                          MakeStringChecker())
            .AddAttribute("K",
                          "hk: how many units there are.",
                          UintegerValue(core.k),
                          MakeUintegerAccessor(&MutexApplication::m_k),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Units",
                          "hk: how many units to ask for, 1 to K; if not given, any number.",
                          PointerValue(),
                          MakePointerAccessor(&MutexApplication::m_units),
                          MakePointerChecker<RandomVariableStream>())
            .AddAttribute("Priority",
                          "hk: with which priority; if not given, any of a few.",
                          PointerValue(),
                          MakePointerAccessor(&MutexApplication::m_priority),
                          MakePointerChecker<RandomVariableStream>())
            .AddAttribute("Order",
                          "hk: whose turn it is, priority, aged:C or fewest.",
                          StringValue(std::string(core.order)),
                          MakeStringAccessor(&MutexApplication::m_order),
                          MakeStringChecker())
            .AddAttribute("Seed",
                          "Seeds the variation of the core's timers; 0: drawn at the start.",
                          UintegerValue(core.seed),
                          MakeUintegerAccessor(&MutexApplication::m_seed),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Life",
                          "Counts the node's restarts; must be larger in every life. In a life "
                          "above 0 a node owns nothing: the token is made once. Protocols over "
                          "routing refuse a restart.",
                          UintegerValue(core.life),
                          MakeUintegerAccessor(&MutexApplication::m_life),
                          MakeUintegerChecker<uint16_t>())
            .AddTraceSource("Request",
                            "The node wants to enter.",
                            MakeTraceSourceAccessor(&MutexApplication::m_requestTrace),
                            "ns3::MutexApplication::RequestTracedCallback")
            .AddTraceSource("Enter",
                            "The node is inside.",
                            MakeTraceSourceAccessor(&MutexApplication::m_enterTrace),
                            "ns3::MutexApplication::EnterTracedCallback")
            .AddTraceSource("Release",
                            "The node has left.",
                            MakeTraceSourceAccessor(&MutexApplication::m_releaseTrace),
                            "ns3::MutexApplication::ReleaseTracedCallback")
            .AddTraceSource("Demote",
                            "The node is not inside any more, although it did not leave, and waits "
                            "again.",
                            MakeTraceSourceAccessor(&MutexApplication::m_demoteTrace),
                            "ns3::MutexApplication::DemoteTracedCallback")
            .AddTraceSource("LinkUp",
                            "A link came up at this end.",
                            MakeTraceSourceAccessor(&MutexApplication::m_linkUpTrace),
                            "ns3::MutexApplication::LinkUpTracedCallback")
            .AddTraceSource("LinkDown",
                            "A link closed at this end.",
                            MakeTraceSourceAccessor(&MutexApplication::m_linkDownTrace),
                            "ns3::MutexApplication::LinkDownTracedCallback")
            .AddTraceSource("Tx",
                            "The protocol sent a message.",
                            MakeTraceSourceAccessor(&MutexApplication::m_txTrace),
                            "ns3::MutexApplication::MessageTracedCallback")
            .AddTraceSource("Rx",
                            "The protocol received a message.",
                            MakeTraceSourceAccessor(&MutexApplication::m_rxTrace),
                            "ns3::MutexApplication::MessageTracedCallback")
            .AddTraceSource("TokenMoved",
                            "The token is at this node now.",
                            MakeTraceSourceAccessor(&MutexApplication::m_tokenTrace),
                            "ns3::MutexApplication::TokenTracedCallback")
            .AddTraceSource("Towards",
                            "The node would ask somebody else for the critical section from now "
                            "on.",
                            MakeTraceSourceAccessor(&MutexApplication::m_towardsTrace),
                            "ns3::MutexApplication::TowardsTracedCallback")
            .AddTraceSource("Doubt",
                            "A message that its sender must not lose is in doubt, or no longer.",
                            MakeTraceSourceAccessor(&MutexApplication::m_doubtTrace),
                            "ns3::MutexApplication::DoubtTracedCallback")
            .AddTraceSource("Reach",
                            "Over routing, a node that owes an answer has been silent for long, or "
                            "answers again. Nothing is given up.",
                            MakeTraceSourceAccessor(&MutexApplication::m_reachTrace),
                            "ns3::MutexApplication::ReachTracedCallback")
            .AddTraceSource("FrameTx",
                            "A frame of the link layer, or a datagram of the transport, is handed "
                            "to the device.",
                            MakeTraceSourceAccessor(&MutexApplication::m_frameTrace),
                            "ns3::MutexApplication::FrameTracedCallback")
            .AddTraceSource("Motion",
                            "The node changed its course; once for each instant.",
                            MakeTraceSourceAccessor(&MutexApplication::m_motionTrace),
                            "ns3::MutexApplication::MotionTracedCallback")
            .AddTraceSource("Broken",
                            "Something happened that the algorithm's proof excludes. Without a "
                            "sink this is a MutexError.",
                            MakeTraceSourceAccessor(&MutexApplication::m_brokenTrace),
                            "ns3::MutexApplication::BrokenTracedCallback")
            .AddTraceSource("Start",
                            "The application starts a life of the node.",
                            MakeTraceSourceAccessor(&MutexApplication::m_startTrace),
                            "ns3::MutexApplication::LifeTracedCallback")
            .AddTraceSource("Stop",
                            "The application stopped, and with it this life of the node. Not at "
                            "the end of the simulation.",
                            MakeTraceSourceAccessor(&MutexApplication::m_stopTrace),
                            "ns3::MutexApplication::LifeTracedCallback");
    return tid;
}

manet_mutex::Settings
MutexApplication::Core::SettingsOf(const MutexApplication& application)
{
    auto settings = manet_mutex::default_settings();
    settings.protocol = application.m_protocol;
    settings.id = application.m_id;
    settings.nodes = application.m_population;
    settings.seed = application.m_seed;
    settings.life = application.m_life;
    settings.hello_interval = application.m_helloInterval.GetNanoSeconds();
    settings.jitter = application.m_helloJitter;
    settings.sensitivity = application.m_sensitivity;
    settings.margin = application.m_margin;
    settings.hysteresis = application.m_hysteresis;
    settings.smoothing = application.m_smoothing;
    settings.sharing = application.m_sharing;
    settings.hellos_to_form = application.m_hellosToForm;
    settings.misses_tolerated = application.m_missesTolerated;
    settings.dead_after = application.m_deadAfter;
    settings.query_after = application.m_queryAfter.GetNanoSeconds();
    settings.query_every = application.m_queryEvery.GetNanoSeconds();
    settings.resend_first = application.m_resendFirst.GetNanoSeconds();
    settings.resend_shortest = application.m_resendShortest.GetNanoSeconds();
    settings.resend_longest = application.m_resendLongest.GetNanoSeconds();
    settings.unreachable_after = application.m_unreachableAfter.GetNanoSeconds();
    settings.raise_burst = application.m_raiseBurst;
    settings.raise_retry = application.m_raiseRetry.GetNanoSeconds();
    settings.raise_quiet = application.m_raiseQuiet.GetNanoSeconds();
    settings.groups = application.m_groups;
    settings.admission = application.m_admission;
    settings.k = application.m_k;
    settings.order = application.m_order;
    return settings;
}

} // namespace ns3
