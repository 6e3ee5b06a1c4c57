//! Who owns what: double-entry bookkeeping of tokens, units and weights.

use super::{Check, Custody, Promise, Scope, Violation};
use crate::network::Network;
use manet_mutex::demand::Demand;
use manet_mutex::ids::NodeId;
use manet_mutex::machine::Protocol;
use manet_mutex::machine::{Cargo, Event, Fate, Message, Outcome};

/// Books what every message moves ([`Cargo`]). A node can send only what it owns, except the
/// token holder, which may issue weight; the token may move only when all weight is back. What a
/// node owns when it crashes is lost: nobody can send it again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ledger {
    custody: Custody,
    units: u64,
    accounts: Vec<Account>,
    /// What crashed nodes owned.
    lost: Vec<(NodeId, Account)>,
    tokens_under_way: u32,
    units_under_way: u64,
    /// Weight issued by the holder and not yet back.
    weight_out: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Account {
    tokens: u32,
    units: u64,
    weight: u64,
}

impl Ledger {
    pub(super) fn new(promise: Promise, nodes: usize, owner: NodeId) -> Self {
        let units = match promise.scope {
            Scope::Units { total } => total,
            _ => 0,
        };
        let mut accounts = vec![Account::default(); nodes];
        if let Some(account) = accounts.get_mut(owner.index())
            && promise.custody != Custody::Nothing
        {
            *account = Account {
                tokens: 1,
                units,
                weight: 0,
            };
        }
        Self {
            custody: promise.custody,
            units,
            accounts,
            lost: Vec::new(),
            tokens_under_way: 0,
            units_under_way: 0,
            weight_out: 0,
        }
    }

    /// Whether a node owns the token.
    pub fn has_token(&self, node: NodeId) -> bool {
        self.accounts[node.index()].tokens > 0
    }

    /// Whether a node owns anything that is counted.
    pub fn owns_anything(&self, node: NodeId) -> bool {
        self.accounts[node.index()] != Account::default()
    }

    /// Whether anybody but these owns anything that the token may have to wait for.
    pub fn is_owned_beyond(&self, these: impl Fn(NodeId) -> bool) -> bool {
        let owner = |account: &Account| account.units > 0 || account.weight > 0;
        let mut accounts = (0..).map(NodeId).zip(&self.accounts);
        accounts.any(|(node, account)| owner(account) && !these(node))
    }

    /// The node that owns the token, unless it is under way.
    pub fn holder(&self) -> Option<NodeId> {
        self.accounts
            .iter()
            .position(|account| account.tokens > 0)
            .map(NodeId::from_index)
    }

    /// Whether a node owned anything that is counted when it crashed, in any of its lives.
    pub fn is_lost_with(&self, node: NodeId) -> bool {
        self.lost.iter().any(|&(owner, _)| owner == node)
    }

    /// A node crashed, and with it what it owned.
    pub(super) fn crash(&mut self, node: NodeId) {
        let account = std::mem::take(&mut self.accounts[node.index()]);
        if account != Account::default() {
            self.lost.push((node, account));
        }
    }

    /// What nodes own, and what was lost with those that crashed.
    fn books(&self) -> impl Iterator<Item = &Account> {
        let lost = self.lost.iter().map(|(_, account)| account);
        self.accounts.iter().chain(lost)
    }

    /// Books an event.
    ///
    /// # Errors
    /// If somebody gains what nobody sent.
    #[inline(always)]
    pub(super) fn event<M: Message>(
        &mut self,
        node: NodeId,
        event: &Event<M>,
    ) -> Result<(), Violation> {
        match event {
            Event::Message { msg, .. } => self.gain(node, msg.cargo()),
            Event::LinkDown { unacked, .. } => unacked
                .iter()
                .filter(|(_, fate)| *fate == Fate::Returned)
                .try_for_each(|(msg, _)| self.gain(node, msg.cargo())),
            Event::Resolved {
                msg,
                outcome: Outcome::Returned,
                ..
            } => self.gain(node, msg.cargo()),
            _ => Ok(()),
        }
    }

    /// Books a message that leaves.
    ///
    /// # Errors
    /// If the sender does not own what it sends.
    pub(super) fn sent<M: Message>(
        &mut self,
        node: NodeId,
        to: NodeId,
        msg: &M,
    ) -> Result<(), Violation> {
        let account = &mut self.accounts[node.index()];
        let short = |check: Check, what: &str| {
            let detail = format!("{node:?} sent {what} it does not own to {to:?}");
            Err(Violation::new(check, detail))
        };
        match msg.cargo() {
            Cargo::Nothing | Cargo::Fork => {}
            Cargo::Token { units } => {
                if account.tokens == 0 || self.custody == Custody::Nothing {
                    return short(Check::SendToken, "a token");
                }
                if account.units < units {
                    return short(Check::SendTokenUnits, "units");
                }
                account.tokens -= 1;
                account.units -= units;
                self.tokens_under_way += 1;
                self.units_under_way += units;
                if self.weight_out > 0 {
                    return short(
                        Check::SendTokenAfterWeight,
                        "a token while weight is out, which",
                    );
                }
            }
            Cargo::Units(units) => {
                if account.units < units {
                    return short(Check::SendUnits, "units");
                }
                account.units -= units;
                self.units_under_way += units;
            }
            Cargo::Weight(weight) => {
                if account.tokens > 0 {
                    self.weight_out += weight;
                } else if account.weight < weight {
                    return short(Check::SendWeight, "weight");
                } else {
                    account.weight -= weight;
                }
            }
        }
        Ok(())
    }

    /// Checks that a node owns what it needs to be inside.
    ///
    /// # Errors
    /// If it does not.
    pub(super) fn entered(&self, node: NodeId, demand: Demand) -> Result<(), Violation> {
        let account = self.accounts[node.index()];
        let entitled = match (self.custody, demand) {
            (Custody::Nothing | Custody::Server, _) => true,
            (Custody::Token, _) => account.tokens > 0,
            (Custody::TokenOrWeight, _) => account.tokens > 0 || account.weight > 0,
            (Custody::Units, Demand::Units { count, .. }) => account.units >= u64::from(count),
            (Custody::Units, _) => false,
        };
        if entitled {
            return Ok(());
        }
        let detail = format!("{node:?} entered ({demand}) without owning what that needs");
        Err(Violation::new(Check::EnterEntitled, detail))
    }

    /// Compares the books with what is really under way: nothing may have vanished.
    ///
    /// # Errors
    /// If something has.
    pub fn audit<P: Protocol>(&self, network: &Network<P>) -> Result<(), Violation> {
        if self.custody == Custody::Nothing {
            return Ok(());
        }
        let (mut tokens, mut units, mut weight) = (0, 0, 0);
        for (_, _, msg) in network.undelivered() {
            match msg.cargo() {
                Cargo::Nothing | Cargo::Fork => {}
                Cargo::Token { units: aboard } => {
                    tokens += 1;
                    units += aboard;
                }
                Cargo::Units(returning) => units += returning,
                Cargo::Weight(share) => weight += share,
            }
        }
        let held: u32 = self.books().map(|account| account.tokens).sum();
        if held + tokens != 1 {
            let detail = format!("{held} tokens are held and {tokens} under way: not one in all");
            return Err(Violation::new(Check::AuditToken, detail));
        }
        let owned: u64 = self.books().map(|account| account.units).sum();
        if owned + units != self.units {
            let detail = format!(
                "{owned} units held and {units} under way are not {}",
                self.units
            );
            return Err(Violation::new(Check::AuditUnits, detail));
        }
        let shares: u64 = self.books().map(|account| account.weight).sum();
        if shares + weight != self.weight_out {
            let out = self.weight_out;
            let detail = format!("weight {shares} held and {weight} under way are not {out}");
            return Err(Violation::new(Check::AuditWeight, detail));
        }
        Ok(())
    }

    fn gain(&mut self, node: NodeId, cargo: Cargo) -> Result<(), Violation> {
        let account = &mut self.accounts[node.index()];
        match cargo {
            Cargo::Nothing | Cargo::Fork => {}
            Cargo::Token { units } => {
                if self.tokens_under_way == 0 || self.units_under_way < units {
                    let detail = format!("{node:?} got a token that nobody sent, or twice");
                    return Err(Violation::new(Check::GainToken, detail));
                }
                account.tokens += 1;
                account.units += units;
                self.tokens_under_way -= 1;
                self.units_under_way -= units;
            }
            Cargo::Units(units) => {
                if self.units_under_way < units {
                    let detail = format!("{node:?} got units that nobody sent, or twice");
                    return Err(Violation::new(Check::GainUnits, detail));
                }
                account.units += units;
                self.units_under_way -= units;
            }
            Cargo::Weight(weight) if account.tokens > 0 => {
                let Some(out) = self.weight_out.checked_sub(weight) else {
                    let detail = format!("{node:?} got back more weight than it gave");
                    return Err(Violation::new(Check::GainWeight, detail));
                };
                self.weight_out = out;
            }
            Cargo::Weight(weight) => account.weight += weight,
        }
        Ok(())
    }
}
