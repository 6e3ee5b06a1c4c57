//! Frames of every kind, and how they look in the vectors.

use crate::damage::Sample;
use manet_mutex::NodeId;
use manet_mutex::link::{Entry, Epoch, Final, Standing, State};
use manet_mutex::protocol::gme::GmeMessage;
use manet_mutex::protocol::hk::HkMessage;
use manet_mutex::protocol::lme::algorithm2::Lme2Message;
use manet_mutex::protocol::lme::colouring::greedy::GreedyWord;
use manet_mutex::protocol::lme::colouring::linial::LinialWord;
use manet_mutex::protocol::lme::message::Lme1Message;
use manet_mutex::protocol::reversal::Height;
use manet_mutex::protocol::rl::RlMessage;
use manet_mutex::protocol::routed::raymond::RaymondMessage;
use manet_mutex::wire::frame::{self, Ack, Close, Data, Flood, Frame, Sharer, Writer};
use manet_mutex::wire::{self, Tag, WireError, WireMessage};

/// One frame, with what it contains.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    pub tag: Tag,
    pub from: NodeId,
    pub body: Body,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    Hello {
        number: u64,
        entries: Vec<(NodeId, Entry)>,
        shared: Vec<Part>,
    },
    /// The message is not in `data`.
    Data {
        data: Data<'static>,
        message: Vec<u8>,
    },
    Ack(Ack),
    Close(Close),
    Flood(Flood),
}

/// A message that a hello carries.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    pub receivers: Vec<(u8, u32)>,
    pub urgent: bool,
    pub message: Vec<u8>,
}

pub fn plain_hello(number: u64, entries: Vec<(NodeId, Entry)>) -> Body {
    let shared = Vec::new();
    Body::Hello {
        number,
        entries,
        shared,
    }
}

impl Example {
    pub fn read(tag: Tag, bytes: &[u8]) -> Result<Self, WireError> {
        let (from, frame) = frame::decode(tag, bytes)?;
        let body = match frame {
            Frame::Hello(hello) => Body::Hello {
                number: hello.number,
                entries: hello.entries().collect(),
                shared: hello
                    .shared()
                    .map(|part| Part {
                        receivers: part.receivers().collect(),
                        urgent: part.urgent,
                        message: part.message.to_vec(),
                    })
                    .collect(),
            },
            Frame::Data(data) => Body::Data {
                data: Data {
                    message: &[],
                    ..data
                },
                message: data.message.to_vec(),
            },
            Frame::Ack(ack) => Body::Ack(ack),
            Frame::Close(close) => Body::Close(close),
            Frame::Flood(flood) => Body::Flood(flood),
        };
        Ok(Self { tag, from, body })
    }

    pub fn line(&self) -> String {
        let (tag, from) = (self.tag.name(), self.from);
        let (bytes, what) = (hex(&self.bytes(), " "), self.body.text());
        let (kind, fields) = what.split_once(' ').expect("a kind and its fields");
        format!("{tag} {kind} from={from} {fields} : {bytes}")
    }
}

impl Sample for Example {
    fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let writer = Writer::new(&mut out, self.tag, self.from);
        match &self.body {
            Body::Hello {
                number,
                entries,
                shared,
            } => {
                writer.hello(*number, entries.iter().copied());
                let mut sharer = Sharer::new(&mut out, 0);
                for part in shared {
                    let receivers = part.receivers.iter().copied();
                    assert!(sharer.add(receivers, part.urgent, &part.message));
                }
            }
            Body::Data { data, message } => writer.data(&Data { message, ..*data }),
            Body::Ack(ack) => writer.ack(ack),
            Body::Close(close) => writer.close(close),
            Body::Flood(flood) => writer.flood(flood),
        }
        out
    }

    /// With its message.
    fn check(&self, bytes: &[u8]) -> Result<(), WireError> {
        match (self.tag, Self::read(self.tag, bytes)?.body) {
            (RlMessage::TAG, Body::Data { message, .. }) => {
                wire::decode::<RlMessage>(&message).map(drop)
            }
            (RlMessage::TAG, Body::Hello { shared, .. }) => (shared.iter())
                .try_for_each(|part| wire::decode::<RlMessage>(&part.message).map(drop)),
            (RaymondMessage::TAG, Body::Data { message, .. }) => {
                wire::decode::<RaymondMessage>(&message).map(drop)
            }
            (GmeMessage::TAG, Body::Data { message, .. }) => {
                wire::decode::<GmeMessage>(&message).map(drop)
            }
            (HkMessage::TAG, Body::Data { message, .. }) => {
                wire::decode::<HkMessage>(&message).map(drop)
            }
            (<Lme1Message<GreedyWord> as WireMessage>::TAG, Body::Data { message, .. }) => {
                wire::decode::<Lme1Message<GreedyWord>>(&message).map(drop)
            }
            (<Lme1Message<LinialWord> as WireMessage>::TAG, Body::Data { message, .. }) => {
                wire::decode::<Lme1Message<LinialWord>>(&message).map(drop)
            }
            (Lme2Message::TAG, Body::Data { message, .. }) => {
                wire::decode::<Lme2Message>(&message).map(drop)
            }
            _ => Ok(()),
        }
    }
}

impl Body {
    fn text(&self) -> String {
        match self {
            Self::Hello {
                number,
                entries,
                shared,
            } => {
                let kind = if shared.is_empty() { "Hello" } else { "Shared" };
                let mut text = format!("{kind} number={number}");
                for (peer, entry) in entries {
                    text += &format!(" [{peer}: {}]", entry_text(entry));
                }
                for part in shared {
                    let receivers: Vec<String> = (part.receivers.iter())
                        .map(|(place, sequence)| format!("{place}:{sequence}"))
                        .collect();
                    text += &format!(
                        " <to={} urgent={} message={}>",
                        receivers.join(","),
                        part.urgent,
                        hex(&part.message, "")
                    );
                }
                text
            }
            Self::Data { data, message } => format!(
                "Data to={} mine={} theirs={} sequence={} ack={} urgent={} message={}",
                data.to,
                data.mine.0,
                data.theirs.0,
                data.sequence,
                data.ack,
                data.urgent,
                hex(message, "")
            ),
            Self::Ack(ack) => format!(
                "Ack to={} mine={} theirs={} ack={}",
                ack.to, ack.mine.0, ack.theirs.0, ack.ack
            ),
            Self::Close(Close { to, ask, last }) => {
                format!("Close to={to} ask={ask} {}", final_text(last))
            }
            Self::Flood(flood) => format!(
                "Flood origin={} number={} hops={} target={} ask={} {}",
                flood.origin,
                flood.number,
                flood.hops,
                flood.target,
                flood.ask,
                final_text(&flood.last)
            ),
        }
    }
}

fn entry_text(entry: &Entry) -> String {
    let state = match entry.state {
        State::Down => "down",
        State::Heard => "heard",
        State::Sym => "sym",
        State::Up => "up",
    };
    let marks = [
        (entry.standing.moving, "moving"),
        (entry.standing.inside, "inside"),
        (entry.doubtful, "doubtful"),
    ];
    let mut words = vec![state.to_owned()];
    words.extend(
        marks
            .iter()
            .filter(|(set, _)| *set)
            .map(|(_, name)| (*name).to_owned()),
    );
    words.push(format!("mine={}", entry.mine.0));
    words.extend(entry.theirs.map(|theirs| format!("theirs={}", theirs.0)));
    words.extend((entry.state == State::Up).then(|| format!("ack={}", entry.ack)));
    words.extend(entry.last.as_ref().map(final_text));
    words.join(" ")
}

fn final_text(last: &Final) -> String {
    let Final {
        mine,
        theirs,
        received,
    } = last;
    format!("final=({},{},{received})", mine.0, theirs.0)
}

fn hex(bytes: &[u8], between: &str) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.join(between)
}

/// What the vectors show: every kind of frame, every mark, and numbers at the edges of their byte
/// lengths.
pub fn examples() -> Vec<Example> {
    let mut all: Vec<Example> = hello_examples();
    all.extend(data_examples());
    let ack = |to, mine, theirs, ack| {
        Body::Ack(Ack {
            to: NodeId(to),
            mine: Epoch(mine),
            theirs: Epoch(theirs),
            ack,
        })
    };
    let close = |to, ask, last| {
        let to = NodeId(to);
        Body::Close(Close { to, ask, last })
    };
    let flood = |origin, number, hops, target, ask, last| {
        Body::Flood(Flood {
            origin: NodeId(origin),
            number,
            hops,
            target: NodeId(target),
            ask,
            last,
        })
    };
    let most = last(u64::MAX, u64::MAX, u32::MAX);
    all.extend([
        rl(3, ack(4, 5, 2, 9)),
        rl(0, ack(127, 128, 16_383, 16_384)),
        rl(u32::MAX, ack(u32::MAX, u64::MAX, u64::MAX, u32::MAX)),
        rl(3, close(4, false, last(5, 2, 9))),
        rl(3, close(4, true, last(0, 0, 0))),
        rl(u32::MAX, close(u32::MAX, true, most)),
        rl(7, flood(3, 1, 32, 4, true, last(5, 2, 9))),
        rl(8, flood(3, 1, 31, 4, false, last(1 << 32, 2, 0))),
        rl(
            u32::MAX,
            flood(u32::MAX, u64::MAX, u8::MAX, u32::MAX, true, most),
        ),
        raymond(3, ack(4, 5, 2, 9)),
    ]);
    all
}

fn hello_examples() -> Vec<Example> {
    let entries = |entries: &[(u32, Entry)]| -> Vec<(NodeId, Entry)> {
        entries.iter().map(|&(id, e)| (NodeId(id), e)).collect()
    };
    let hello = |number, listed: &[(u32, Entry)]| plain_hello(number, entries(listed));
    let shared = |number, listed: &[(u32, Entry)], shared| Body::Hello {
        number,
        entries: entries(listed),
        shared,
    };
    let part = |receivers: &[(u8, u32)], urgent, msg: RlMessage| {
        let (receivers, mut message) = (receivers.to_vec(), Vec::new());
        wire::encode(&msg, &mut message).expect("it fits");
        Part {
            receivers,
            urgent,
            message,
        }
    };
    let (h1, h2, id) = (0, -3, NodeId(3));
    let height = Height { h1, h2, id };
    let token = RlMessage::Token {
        height,
        more: false,
    };
    let theirs = Some(Epoch(5));
    let up = Entry {
        theirs,
        ack: 9,
        ..entry(State::Up)
    };
    let standing = |moving, inside| Standing { moving, inside };
    let moving = Entry {
        standing: standing(true, false),
        ..up
    };
    let inside = Entry {
        standing: standing(false, true),
        theirs,
        ..entry(State::Sym)
    };
    let doubtful = Entry {
        doubtful: true,
        theirs,
        last: Some(last(1, 5, 7)),
        ..entry(State::Down)
    };
    let edges = [(127, 128), (16_383, 16_384), (1 << 32, (1 << 63) - 1)];
    let edges = edges.map(|(mine, theirs)| Entry {
        mine: Epoch(mine),
        theirs: Some(Epoch(theirs)),
        ..entry(State::Heard)
    });
    let edges = [(127, edges[0]), (16_383, edges[1]), (16_384, edges[2])];
    vec![
        rl(0, hello(0, &[])),
        rl(3, hello(17, &[(4, entry(State::Down))])),
        rl(3, hello(18, &[(4, entry(State::Heard))])),
        rl(3, hello(19, &[(4, up)])),
        rl(
            3,
            hello(20, &[(4, moving), (5, inside), (70_000, doubtful)]),
        ),
        rl(128, hello(1 << 32, &edges)),
        rl(
            u32::MAX,
            hello(u64::MAX, &[(u32::MAX, largest_entry(true))]),
        ),
        raymond(3, hello(17, &[(4, up)])),
        rl(
            3,
            shared(21, &[(4, up)], vec![part(&[(0, 9)], true, token)]),
        ),
        rl(
            3,
            shared(
                22,
                &[(4, up), (5, inside), (6, moving)],
                vec![
                    part(&[(0, 10), (2, 128)], false, RlMessage::LinkInfo(height)),
                    part(&[(2, 129)], true, token),
                ],
            ),
        ),
    ]
}

fn data_examples() -> Vec<Example> {
    let height = |h1, h2, id| Height {
        h1,
        h2,
        id: NodeId(id),
    };
    let body = |data, message| Body::Data { data, message };
    let plain = RlMessage::LinkInfo(height(0, -3, 3));
    let token = RlMessage::Token {
        height: height(i64::MIN, i64::MAX, u32::MAX),
        more: true,
    };
    let small = Data {
        to: NodeId(4),
        mine: Epoch(5),
        theirs: Epoch(2),
        sequence: 0,
        ack: 9,
        urgent: false,
        message: &[],
    };
    vec![
        rl(3, body(small, message(&plain))),
        rl(u32::MAX, body(data(u64::MAX, u32::MAX), message(&token))),
        raymond(3, body(small, message(&RaymondMessage::Privilege))),
        Example {
            tag: GmeMessage::TAG,
            from: NodeId(3),
            body: body(small, message(&GmeMessage::LinkInfo(height(0, -3, 3)))),
        },
        Example {
            tag: HkMessage::TAG,
            from: NodeId(3),
            body: body(small, message(&HkMessage::LinkInfo(height(0, -3, 3)))),
        },
        Example {
            tag: <Lme1Message<GreedyWord> as WireMessage>::TAG,
            from: NodeId(3),
            body: body(small, message(&Lme1Message::<GreedyWord>::Req)),
        },
        Example {
            tag: <Lme1Message<LinialWord> as WireMessage>::TAG,
            from: NodeId(3),
            body: body(small, message(&Lme1Message::<LinialWord>::Req)),
        },
        Example {
            tag: Lme2Message::TAG,
            from: NodeId(3),
            body: body(small, message(&Lme2Message::Req)),
        },
    ]
}

pub fn rl(from: u32, body: Body) -> Example {
    let (tag, from) = (RlMessage::TAG, NodeId(from));
    Example { tag, from, body }
}

fn raymond(from: u32, body: Body) -> Example {
    let (tag, from) = (RaymondMessage::TAG, NodeId(from));
    Example { tag, from, body }
}

/// An urgent one with the same number everywhere.
pub fn data(epoch: u64, number: u32) -> Data<'static> {
    Data {
        to: NodeId(number),
        mine: Epoch(epoch),
        theirs: Epoch(epoch),
        sequence: number,
        ack: number,
        urgent: true,
        message: &[],
    }
}

pub fn entry(state: State) -> Entry {
    Entry {
        state,
        mine: Epoch(2),
        theirs: None,
        standing: Standing::default(),
        ack: 0,
        doubtful: false,
        last: None,
    }
}

pub fn largest_entry(with_final: bool) -> Entry {
    Entry {
        state: State::Up,
        mine: Epoch(u64::MAX),
        theirs: Some(Epoch(u64::MAX)),
        standing: Standing {
            moving: true,
            inside: true,
        },
        ack: u32::MAX,
        doubtful: true,
        last: with_final.then(|| last(u64::MAX, u64::MAX, u32::MAX)),
    }
}

fn last(mine: u64, theirs: u64, received: u32) -> Final {
    let (mine, theirs) = (Epoch(mine), Epoch(theirs));
    Final {
        mine,
        theirs,
        received,
    }
}

fn message<M: WireMessage>(message: &M) -> Vec<u8> {
    let mut out = Vec::new();
    wire::encode(message, &mut out).expect("small enough");
    out
}
