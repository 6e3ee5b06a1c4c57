//! Messages of every protocol, and how they look in the vectors.

use crate::damage::Sample;
use manet_mutex::NodeId;
use manet_mutex::machine::Message;
use manet_mutex::protocol::gme::GmeMessage;
use manet_mutex::protocol::hk::{HkMessage, Key};
use manet_mutex::protocol::lme::algorithm2::Lme2Message;
use manet_mutex::protocol::lme::colouring::greedy::{GreedyWord, Joined};
use manet_mutex::protocol::lme::colouring::linial::LinialWord;
use manet_mutex::protocol::lme::doorway::{Doorway, Position};
use manet_mutex::protocol::lme::message::Lme1Message;
use manet_mutex::protocol::reversal::Height;
use manet_mutex::protocol::rl::RlMessage;
use manet_mutex::protocol::routed::dgme::DgmeMessage;
use manet_mutex::protocol::routed::naimi_trehel::NaimiTrehelMessage;
use manet_mutex::protocol::routed::raymond::RaymondMessage;
use manet_mutex::wire::{Tag, WireError, WireMessage, decode, encode};

/// One message of any protocol, for the vectors.
#[derive(Debug, PartialEq)]
pub enum Example {
    Rl(RlMessage),
    Raymond(RaymondMessage),
    Gme(GmeMessage),
    Hk(HkMessage),
    NaimiTrehel(NaimiTrehelMessage),
    Dgme(DgmeMessage),
    Lme1a(Lme1Message<GreedyWord>),
    Lme1b(Lme1Message<LinialWord>),
    Lme2(Lme2Message),
}

/// What the vectors show: every kind of message, and numbers at the edges of their byte lengths.
pub fn examples() -> Vec<Example> {
    let rl = [
        RlMessage::LinkInfo(height(0, 0, 0)),
        RlMessage::LinkInfo(height(-1, 1, 1)),
        RlMessage::LinkInfo(height(63, -64, 127)),
        RlMessage::LinkInfo(height(64, -65, 128)),
        RlMessage::Request(height(5, -12, 3)),
        RlMessage::Request(height(1000, -5000, 16_384)),
        RlMessage::Request(height(i64::MAX, i64::MIN, u32::MAX)),
        RlMessage::Token {
            height: height(0, -3, 7),
            more: false,
        },
        RlMessage::Token {
            height: height(0, -3, 7),
            more: true,
        },
    ];
    let raymond = [RaymondMessage::Request, RaymondMessage::Privilege];
    rl.map(Example::Rl)
        .into_iter()
        .chain(raymond.map(Example::Raymond))
        .chain(gme_examples().into_iter().map(Example::Gme))
        .chain(hk_examples().map(Example::Hk))
        .chain(naimi_trehel_examples().map(Example::NaimiTrehel))
        .chain(dgme_examples().map(Example::Dgme))
        .chain(lme1a_examples().into_iter().map(Example::Lme1a))
        .chain(lme1b_examples().map(Example::Lme1b))
        .chain(lme2_examples().map(Example::Lme2))
        .collect()
}

fn naimi_trehel_examples() -> [NaimiTrehelMessage; 3] {
    [
        NaimiTrehelMessage::Request(NodeId(3)),
        NaimiTrehelMessage::Request(NodeId(u32::MAX)),
        NaimiTrehelMessage::Token,
    ]
}

fn dgme_examples() -> [DgmeMessage; 7] {
    let req = |at, by| DgmeMessage::Req { at, by };
    [
        DgmeMessage::Open(0),
        DgmeMessage::Ok(3),
        DgmeMessage::Rel(128),
        req(0, 3),
        req(200, u32::MAX),
        DgmeMessage::Token(2),
        DgmeMessage::Token(u32::MAX),
    ]
}

fn gme_examples() -> Vec<GmeMessage> {
    let near = height(0, -3, 7);
    let request = |resource| GmeMessage::Request {
        height: near,
        resource,
    };
    let token = |resources: &[u32]| GmeMessage::Token {
        height: near,
        resources: resources.to_vec(),
    };
    let subtoken = |resource, weight| GmeMessage::SubToken {
        height: near,
        resource,
        weight,
    };
    let release = |weight| GmeMessage::Release {
        height: near,
        weight,
    };
    vec![
        GmeMessage::LinkInfo(height(64, -65, 128)),
        request(0),
        request(300),
        token(&[]),
        token(&[2]),
        token(&[1, 0, 255]),
        subtoken(3, 1),
        subtoken(255, 1 << 40),
        release(127),
        release(u64::MAX),
    ]
}

fn hk_examples() -> [HkMessage; 8] {
    let near = height(0, -3, 7);
    let token = |units, grants, residual| HkMessage::Token {
        height: near,
        units,
        grants,
        residual,
    };
    let request = |rank, id| HkMessage::Request {
        height: near,
        key: key(rank, id),
    };
    let release = |units| HkMessage::Release {
        height: near,
        units,
    };
    [
        HkMessage::LinkInfo(height(64, -65, 128)),
        request(-5, 3),
        request(i64::MIN, u32::MAX),
        token(0, 0, None),
        token(5, 300, Some(key(12, 2))),
        token(u64::MAX, u64::MAX, Some(key(i64::MAX, 0))),
        release(1),
        release(128),
    ]
}

fn lme1a_examples() -> Vec<Lme1Message<GreedyWord>> {
    let behind = Position::behind(Doorway::AsyncRecolouring).crossed(Doorway::SyncRecolouring);
    let welcome = |colour, position| Lme1Message::Welcome { colour, position };
    let links = |of, version, to: &[u32]| GreedyWord::Links {
        of: NodeId(of),
        joined: Joined {
            version,
            to: to.iter().copied().map(NodeId).collect(),
        },
    };
    let says = |attempt, word| Lme1Message::NewColour { attempt, word };
    vec![
        Lme1Message::Position(Position::OUTSIDE),
        Lme1Message::Position(behind),
        Lme1Message::Position(Position::behind(Doorway::AsyncForks).crossed(Doorway::SyncForks)),
        welcome(None, Position::OUTSIDE),
        welcome(Some(-1), behind),
        Lme1Message::UpdateColour(0),
        Lme1Message::UpdateColour(i64::MIN),
        Lme1Message::Req,
        Lme1Message::Fork { flag: false },
        Lme1Message::Fork { flag: true },
        says(1, GreedyWord::Hello),
        says(300, links(7, (300, 0), &[])),
        says(2, links(u32::MAX, (u32::MAX, 1), &[0, 128])),
        Lme1Message::Nack { attempt: 128 },
    ]
}

fn lme1b_examples() -> [Lme1Message<LinialWord>; 4] {
    let says = |attempt, round, colour| Lme1Message::NewColour {
        attempt,
        word: LinialWord { round, colour },
    };
    [
        Lme1Message::UpdateColour(-26),
        says(1, 0, 0),
        says(3, 2, u64::MAX),
        Lme1Message::Nack { attempt: 3 },
    ]
}

fn lme2_examples() -> [Lme2Message; 8] {
    [
        Lme2Message::Req,
        Lme2Message::Fork { flag: false },
        Lme2Message::Fork { flag: true },
        Lme2Message::Notify,
        Lme2Message::Height(0),
        Lme2Message::Height(u64::MAX),
        Lme2Message::Welcome(127),
        Lme2Message::Welcome(128),
    ]
}

impl Example {
    pub fn line(&self) -> String {
        let what = match self {
            Self::Rl(message) => {
                let more = match message {
                    RlMessage::Token { more, .. } => format!(" more={more}"),
                    _ => String::new(),
                };
                let (kind, height) = (message.kind(), message.height());
                format!("{} {kind} height={height:?}{more}", RlMessage::TAG.name())
            }
            Self::Raymond(message) => format!("{} {}", RaymondMessage::TAG.name(), message.kind()),
            Self::Gme(message) => gme_line(message),
            Self::Hk(message) => hk_line(message),
            Self::NaimiTrehel(message) => {
                let who = match message {
                    NaimiTrehelMessage::Request(who) => format!(" node={who}"),
                    NaimiTrehelMessage::Token => String::new(),
                };
                format!("{} {}{who}", NaimiTrehelMessage::TAG.name(), message.kind())
            }
            Self::Dgme(message) => {
                let fields = match message {
                    DgmeMessage::Open(x)
                    | DgmeMessage::Ok(x)
                    | DgmeMessage::Rel(x)
                    | DgmeMessage::Token(x) => format!("session={x}"),
                    DgmeMessage::Req { at, by } => format!("at={at} by={by}"),
                };
                format!("{} {} {fields}", DgmeMessage::TAG.name(), message.kind())
            }
            Self::Lme1a(message) => lme1_line(
                message,
                <Lme1Message<GreedyWord> as WireMessage>::TAG,
                greedy_fields,
            ),
            Self::Lme1b(message) => lme1_line(
                message,
                <Lme1Message<LinialWord> as WireMessage>::TAG,
                linial_fields,
            ),
            Self::Lme2(message) => lme2_line(message),
        };
        let hex: Vec<String> = self.bytes().iter().map(|b| format!("{b:02x}")).collect();
        format!("{what} : {}", hex.join(" "))
    }

    /// Reads `bytes` as a message of the same protocol.
    fn read(&self, bytes: &[u8]) -> Result<Self, WireError> {
        match self {
            Self::Rl(_) => decode(bytes).map(Self::Rl),
            Self::Raymond(_) => decode(bytes).map(Self::Raymond),
            Self::Gme(_) => decode(bytes).map(Self::Gme),
            Self::Hk(_) => decode(bytes).map(Self::Hk),
            Self::NaimiTrehel(_) => decode(bytes).map(Self::NaimiTrehel),
            Self::Dgme(_) => decode(bytes).map(Self::Dgme),
            Self::Lme1a(_) => decode(bytes).map(Self::Lme1a),
            Self::Lme1b(_) => decode(bytes).map(Self::Lme1b),
            Self::Lme2(_) => decode(bytes).map(Self::Lme2),
        }
    }

    pub fn is_read_from(&self, bytes: &[u8]) -> bool {
        self.read(bytes).as_ref() == Ok(self)
    }
}

impl Sample for Example {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Rl(message) => bytes_of(message),
            Self::Raymond(message) => bytes_of(message),
            Self::Gme(message) => bytes_of(message),
            Self::Hk(message) => bytes_of(message),
            Self::NaimiTrehel(message) => bytes_of(message),
            Self::Dgme(message) => bytes_of(message),
            Self::Lme1a(message) => bytes_of(message),
            Self::Lme1b(message) => bytes_of(message),
            Self::Lme2(message) => bytes_of(message),
        }
    }

    fn check(&self, bytes: &[u8]) -> Result<(), WireError> {
        self.read(bytes).map(drop)
    }
}

fn gme_line(message: &GmeMessage) -> String {
    let fields = match message {
        GmeMessage::LinkInfo(_) => String::new(),
        GmeMessage::Request { resource, .. } => format!(" resource={resource}"),
        GmeMessage::Token { resources, .. } => format!(" resources={resources:?}"),
        GmeMessage::SubToken {
            resource, weight, ..
        } => format!(" resource={resource} weight={weight}"),
        GmeMessage::Release { weight, .. } => format!(" weight={weight}"),
    };
    let (kind, height) = (message.kind(), message.height());
    format!(
        "{} {kind} height={height:?}{fields}",
        GmeMessage::TAG.name()
    )
}

fn hk_line(message: &HkMessage) -> String {
    let pair = |key: &Key| format!("({},{})", key.rank, key.id);
    let fields = match message {
        HkMessage::LinkInfo(_) => String::new(),
        HkMessage::Request { key, .. } => format!(" key={}", pair(key)),
        HkMessage::Token {
            units,
            grants,
            residual,
            ..
        } => {
            let residual = residual.as_ref().map_or("none".to_owned(), pair);
            format!(" units={units} grants={grants} residual={residual}")
        }
        HkMessage::Release { units, .. } => format!(" units={units}"),
    };
    let (kind, height) = (message.kind(), message.height());
    format!("{} {kind} height={height:?}{fields}", HkMessage::TAG.name())
}

fn lme1_line<W: Message>(
    message: &Lme1Message<W>,
    tag: Tag,
    said: impl Fn(&W) -> String,
) -> String {
    let number = |position: &Position| {
        let sum = Doorway::ALL.iter().filter(|(d, _)| position.is_behind(*d));
        sum.map(|(doorway, _)| *doorway as u8).sum::<u8>()
    };
    let fields = match message {
        Lme1Message::Position(position) => format!(" position={}", number(position)),
        Lme1Message::Welcome { colour, position } => {
            let colour = colour.map_or("none".to_owned(), |colour| colour.to_string());
            format!(" colour={colour} position={}", number(position))
        }
        Lme1Message::UpdateColour(colour) => format!(" colour={colour}"),
        Lme1Message::Req => String::new(),
        Lme1Message::Fork { flag } => format!(" flag={flag}"),
        Lme1Message::NewColour { attempt, word } => format!(" attempt={attempt}{}", said(word)),
        Lme1Message::Nack { attempt } => format!(" attempt={attempt}"),
    };
    format!("{} {}{fields}", tag.name(), message.kind())
}

fn greedy_fields(word: &GreedyWord) -> String {
    match word {
        GreedyWord::Hello => String::new(),
        GreedyWord::Links { of, joined } => {
            let to: Vec<u32> = joined.to.iter().map(|peer| peer.0).collect();
            let (attempt, lost) = joined.version;
            format!(" of={of} version=({attempt},{lost}) to={to:?}")
        }
    }
}

fn linial_fields(word: &LinialWord) -> String {
    format!(" round={} colour={}", word.round, word.colour)
}

pub fn key(rank: i64, id: u32) -> Key {
    let id = NodeId(id);
    Key { rank, id }
}

pub fn bytes_of<M: WireMessage>(message: &M) -> Vec<u8> {
    let mut out = Vec::new();
    encode(message, &mut out).expect("small enough");
    out
}

pub fn height(h1: i64, h2: i64, id: u32) -> Height {
    let id = NodeId(id);
    Height { h1, h2, id }
}

fn lme2_line(message: &Lme2Message) -> String {
    let fields = match message {
        Lme2Message::Req | Lme2Message::Notify => String::new(),
        Lme2Message::Fork { flag } => format!(" flag={flag}"),
        Lme2Message::Height(height) | Lme2Message::Welcome(height) => format!(" height={height}"),
    };
    format!("{} {}{fields}", Lme2Message::TAG.name(), message.kind())
}
