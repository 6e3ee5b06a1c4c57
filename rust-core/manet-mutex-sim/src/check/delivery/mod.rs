//! Whether links keep what they promise.

mod lane;

use super::{Check, Violation};
use lane::Lane;
use manet_mutex::ids::NodeId;
use manet_mutex::link::Epoch;
use manet_mutex::machine::{Fate, Message, Outcome, Role};
use std::collections::BTreeMap;

/// Watches all links of a network from outside and holds them to the contract of
/// [`manet_mutex::machine`], whatever lies between the nodes.
///
/// Of a pair of nodes one incarnation of their link matters at a time: the next may come up only
/// when nothing can happen in it any more. So memory is bounded by the number of pairs that ever
/// met and by what is under way between them. Messages may be equal; their order in each direction
/// tells them apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Delivery<M> {
    /// By the two nodes, the smaller id first.
    pairs: BTreeMap<(NodeId, NodeId), Book<M>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Book<M> {
    /// The epochs of the last incarnation that came up at either end, the smaller id's first.
    newest: (Epoch, Epoch),
    /// That incarnation, until both ends have left it and know what became of their messages.
    current: Option<[Part<M>; 2]>,
}

/// One end's part in an incarnation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Part<M> {
    stage: Stage,
    role: Option<Role>,
    /// What it sends.
    lane: Lane<M>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stage {
    /// Has not come up, and may never do.
    Before,
    Up,
    Left,
}

impl<M: Message> Delivery<M> {
    /// For a network in which no link has come up yet.
    pub const fn new() -> Self {
        let pairs = BTreeMap::new();
        Self { pairs }
    }

    /// A link came up at `node`, in the incarnation of its own and the peer's epoch.
    ///
    /// # Errors
    /// If the incarnation before is not over, an epoch is used again, or both ends have one role.
    pub fn up(
        &mut self,
        node: NodeId,
        peer: NodeId,
        (mine, theirs): (Epoch, Epoch),
        role: Role,
    ) -> Result<(), Violation> {
        let (pair, end) = place(node, peer);
        let epochs = [(mine, theirs), (theirs, mine)][end];
        let book = self.pairs.entry(pair).or_insert_with(|| Book {
            newest: epochs,
            current: Some([Part::new(), Part::new()]),
        });
        let whole = if book.newest == epochs {
            Ok(())
        } else {
            book.begin(epochs)
        };
        whole
            .and_then(|()| book.come_up(end, role))
            .map_err(|(check, what)| {
                let (mine, theirs) = (mine.0, theirs.0);
                let detail = format!("{node:?} came up with {peer:?} in {mine}/{theirs} {what}");
                Violation::new(check, detail)
            })
    }

    /// Whether no end of this incarnation has come up yet.
    pub fn is_new(&self, node: NodeId, peer: NodeId, (mine, theirs): (Epoch, Epoch)) -> bool {
        let (pair, end) = place(node, peer);
        let epochs = [(mine, theirs), (theirs, mine)][end];
        self.pairs
            .get(&pair)
            .is_none_or(|book| book.newest != epochs)
    }

    /// A message was sent.
    ///
    /// # Errors
    /// If the link is not up at the sender.
    pub fn sent(&mut self, node: NodeId, to: NodeId, msg: &M) -> Result<(), Violation> {
        match self.parts(node, to) {
            Some((parts, end)) if parts[end].stage == Stage::Up => {
                parts[end].lane.send(msg.clone());
                Ok(())
            }
            _ => {
                let detail = format!("{node:?} sent {msg:?} to {to:?}, where no link is up");
                Err(Violation::new(OPEN, detail))
            }
        }
    }

    /// A message was delivered to `node`.
    ///
    /// # Errors
    /// If it is not the next one of those sent in this incarnation, has been returned, or the link
    /// is not up at the receiver.
    pub fn received(&mut self, node: NodeId, from: NodeId, msg: &M) -> Result<(), Violation> {
        let taken = match self.parts(node, from) {
            None => Err((OPEN, "without a link")),
            Some((parts, end)) => match parts[end].stage {
                Stage::Before => Err((OPEN, "before link up")),
                Stage::Left => Err((OPEN, "after link down")),
                Stage::Up => parts[1 - end].lane.receive(msg),
            },
        };
        taken.map_err(|(check, what)| {
            let detail = format!("{node:?} received {msg:?} from {from:?} {what}");
            Violation::new(check, detail)
        })
    }

    /// A link closed at `node`; `unacked` is what it was told about its ownership messages.
    ///
    /// # Errors
    /// If it was not up there, or what it was told is not true.
    pub fn down(
        &mut self,
        node: NodeId,
        peer: NodeId,
        unacked: &[(M, Fate)],
    ) -> Result<(), Violation> {
        let Some((parts, end)) = self.parts(node, peer) else {
            let detail = format!("{node:?} lost a link with {peer:?} that it did not have");
            return Err(Violation::new(OPEN, detail));
        };
        let part = &mut parts[end];
        if part.stage != Stage::Up {
            let detail = format!("{node:?} lost a link with {peer:?} that was not up there");
            return Err(Violation::new(OPEN, detail));
        }
        part.stage = Stage::Left;
        let closed = part.lane.close(unacked).map_err(|(check, what)| {
            let detail = format!("when {node:?} lost its link with {peer:?}, {what}");
            Violation::new(check, detail)
        });
        self.tidy(node, peer);
        closed
    }

    /// `node` was told about a message in doubt.
    ///
    /// # Errors
    /// If it was not in doubt, or what it was told is not true.
    pub fn resolved(
        &mut self,
        node: NodeId,
        peer: NodeId,
        msg: &M,
        outcome: Outcome,
    ) -> Result<(), Violation> {
        let resolved = match self.parts(node, peer) {
            Some((parts, end)) => parts[end].lane.resolve(msg, outcome),
            None => Err("it was not in doubt"),
        };
        self.tidy(node, peer);
        resolved.map_err(|what| {
            let told = format!("{node:?} was told that {peer:?}: {msg:?} is {outcome:?}");
            Violation::new(TRUTH, format!("{told}, but {what}"))
        })
    }

    /// A node crashed: its ends of all links are over, and its doubts with them. What it sent may
    /// still arrive. Ends of other nodes are held to their promises as before.
    pub fn crashed(&mut self, node: NodeId) {
        for (&(a, b), book) in &mut self.pairs {
            let end = match node {
                _ if node == a => 0,
                _ if node == b => 1,
                _ => continue,
            };
            if let Some(parts) = &mut book.current {
                parts[end].stage = Stage::Left;
                parts[end].lane.forget_doubts();
            }
            book.tidy();
        }
    }

    /// The epochs of the last incarnation of a link that came up at either end, `node`'s first.
    pub fn newest(&self, node: NodeId, peer: NodeId) -> Option<(Epoch, Epoch)> {
        let (pair, end) = place(node, peer);
        let (a, b) = self.pairs.get(&pair)?.newest;
        Some([(a, b), (b, a)][end])
    }

    /// How many messages are in doubt.
    pub fn open_doubts(&self) -> usize {
        let doubts = |parts: &[Part<M>; 2]| parts[0].lane.doubts() + parts[1].lane.doubts();
        self.incarnations().map(doubts).sum()
    }

    /// Whether everything is accounted for: nothing is in doubt, links are up at both ends or at
    /// neither, and where they are up nothing is under way.
    pub fn is_settled(&self) -> bool {
        self.incarnations().all(|parts| {
            let [a, b] = parts;
            let agreed = (a.stage == Stage::Up) == (b.stage == Stage::Up);
            let idle = |part: &Part<M>| {
                part.lane.doubts() == 0 && (part.stage != Stage::Up || part.lane.is_idle())
            };
            agreed && idle(a) && idle(b)
        })
    }

    fn incarnations(&self) -> impl Iterator<Item = &[Part<M>; 2]> {
        self.pairs.values().filter_map(|book| book.current.as_ref())
    }

    /// The incarnation of now, and which end of it `node` is.
    fn parts(&mut self, node: NodeId, peer: NodeId) -> Option<(&mut [Part<M>; 2], usize)> {
        let (pair, end) = place(node, peer);
        let parts = self.pairs.get_mut(&pair)?.current.as_mut()?;
        Some((parts, end))
    }

    fn tidy(&mut self, node: NodeId, peer: NodeId) {
        if let Some(book) = self.pairs.get_mut(&place(node, peer).0) {
            book.tidy();
        }
    }
}

impl<M: Message> Default for Delivery<M> {
    fn default() -> Self {
        Self::new()
    }
}

/// What can be broken.
const OPEN: Check = Check::LinkOpen;
const ONCE: Check = Check::LinkOrder;
const LOSS: Check = Check::LinkLoss;
const TRUTH: Check = Check::LinkTruth;
const APART: Check = Check::LinkApart;
const ROLES: Check = Check::LinkRoles;

/// Which promise, and the rest of a sentence.
type Broken<W = &'static str> = (Check, W);

fn place(node: NodeId, peer: NodeId) -> ((NodeId, NodeId), usize) {
    if node < peer {
        ((node, peer), 0)
    } else {
        ((peer, node), 1)
    }
}

impl<M: Message> Book<M> {
    /// Forgets an incarnation in which nothing can happen any more.
    fn tidy(&mut self) {
        let over = |part: &Part<M>| part.stage == Stage::Left && part.lane.doubts() == 0;
        self.current.take_if(|parts| parts.iter().all(over));
    }

    /// A new incarnation begins. Whoever was not up in the last one never will be.
    fn begin(&mut self, epochs: (Epoch, Epoch)) -> Result<(), Broken> {
        let last = self.current.replace([Part::new(), Part::new()]);
        let newest = std::mem::replace(&mut self.newest, epochs);
        if let Some([a, b]) = last {
            if a.stage == Stage::Up || b.stage == Stage::Up {
                return Err((APART, "while an end is up in another incarnation"));
            }
            if a.lane.doubts() + b.lane.doubts() > 0 {
                return Err((APART, "while a message of the last incarnation is in doubt"));
            }
        }
        if epochs.0 <= newest.0 || epochs.1 <= newest.1 {
            return Err((APART, "after another incarnation with one of these epochs"));
        }
        Ok(())
    }

    fn come_up(&mut self, end: usize, role: Role) -> Result<(), Broken> {
        let again = Err((APART, "again"));
        let Some(parts) = &mut self.current else {
            return again;
        };
        let peers_role = parts[1 - end].role;
        let part = &mut parts[end];
        if part.stage != Stage::Before {
            return again;
        }
        part.stage = Stage::Up;
        part.role = Some(role);
        if peers_role == Some(role) {
            return Err((ROLES, "in the same role as its peer"));
        }
        Ok(())
    }
}

impl<M: Message> Part<M> {
    const fn new() -> Self {
        Self {
            stage: Stage::Before,
            role: None,
            lane: Lane::new(),
        }
    }
}
