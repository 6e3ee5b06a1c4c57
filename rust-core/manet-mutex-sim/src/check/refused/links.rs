//! Links and the transport.

use super::{A, B, Verdict};
use crate::check::{Delivery, Once};
use manet_mutex::ids::NodeId;
use manet_mutex::link::Epoch;
use manet_mutex::machine::{Fate, Outcome, Role};
use manet_mutex::protocol::routed::raymond::RaymondMessage::{self, Privilege, Request};

type Links = Delivery<RaymondMessage>;

/// A link comes up at both ends.
fn up(links: &mut Links, epoch: u64) {
    let epochs = (Epoch(epoch), Epoch(epoch));
    assert_eq!(links.up(A, B, epochs, Role::Static), Ok(()));
    assert_eq!(links.up(B, A, epochs, Role::Moving), Ok(()));
}

/// A link that is up.
fn linked() -> Links {
    let mut links = Links::new();
    up(&mut links, 1);
    links
}

/// The same, on which node 0 has sent these.
fn sent(messages: &[RaymondMessage]) -> Links {
    let mut links = linked();
    for msg in messages {
        assert_eq!(links.sent(A, B, msg), Ok(()));
    }
    links
}

pub(super) fn sent_without_link() -> Verdict {
    Links::new().sent(A, B, &Request)
}

pub(super) fn received_without_link() -> Verdict {
    Links::new().received(B, A, &Request)
}

pub(super) fn received_before_up() -> Verdict {
    let mut links = Links::new();
    let epochs = (Epoch(1), Epoch(1));
    assert_eq!(links.up(A, B, epochs, Role::Static), Ok(()));
    assert_eq!(links.sent(A, B, &Request), Ok(()));
    links.received(B, A, &Request)
}

pub(super) fn received_after_down() -> Verdict {
    let mut links = sent(&[Request]);
    assert_eq!(links.down(B, A, &[]), Ok(()));
    links.received(B, A, &Request)
}

pub(super) fn down_without_link() -> Verdict {
    Links::new().down(A, B, &[])
}

pub(super) fn down_twice() -> Verdict {
    let mut links = linked();
    assert_eq!(links.down(A, B, &[]), Ok(()));
    links.down(A, B, &[])
}

pub(super) fn out_of_order() -> Verdict {
    sent(&[Request, Privilege]).received(B, A, &Privilege)
}

pub(super) fn delivered_twice() -> Verdict {
    let mut links = sent(&[Privilege]);
    assert_eq!(links.received(B, A, &Privilege), Ok(()));
    links.received(B, A, &Privilege)
}

pub(super) fn ownership_lost() -> Verdict {
    sent(&[Privilege]).down(A, B, &[])
}

pub(super) fn wrong_fate() -> Verdict {
    sent(&[Privilege]).down(A, B, &[(Privilege, Fate::Delivered)])
}

pub(super) fn received_after_return() -> Verdict {
    let mut links = sent(&[Privilege]);
    let returned = [(Privilege, Fate::Returned)];
    assert_eq!(links.down(A, B, &returned), Ok(()));
    links.received(B, A, &Privilege)
}

pub(super) fn wrong_message() -> Verdict {
    sent(&[Privilege]).down(A, B, &[(Request, Fate::InDoubt)])
}

pub(super) fn told_too_often() -> Verdict {
    let told = [(Privilege, Fate::InDoubt); 2];
    sent(&[Privilege]).down(A, B, &told)
}

/// All of many messages arrived. The sender is told of all of them, and wrongly of the oldest.
pub(super) fn old_message_returned() -> Verdict {
    let many = [Privilege; 100];
    let told = |oldest| {
        let mut links = sent(&many);
        for msg in &many {
            assert_eq!(links.received(B, A, msg), Ok(()));
        }
        let mut unacked = many.map(|msg| (msg, Fate::Delivered));
        unacked[0].1 = oldest;
        links.down(A, B, &unacked)
    };
    assert_eq!(told(Fate::Delivered), Ok(()));
    told(Fate::Returned)
}

pub(super) fn resolved_without_doubt() -> Verdict {
    linked().resolved(A, B, &Privilege, Outcome::Delivered)
}

pub(super) fn wrong_outcome() -> Verdict {
    let mut links = sent(&[Privilege]);
    let doubted = [(Privilege, Fate::InDoubt)];
    assert_eq!(links.down(A, B, &doubted), Ok(()));
    links.resolved(A, B, &Privilege, Outcome::Delivered)
}

pub(super) fn overlap() -> Verdict {
    let epochs = (Epoch(2), Epoch(2));
    linked().up(A, B, epochs, Role::Static)
}

pub(super) fn epoch_used_again() -> Verdict {
    let mut links = linked();
    assert_eq!(links.down(A, B, &[]), Ok(()));
    assert_eq!(links.down(B, A, &[]), Ok(()));
    links.up(A, B, (Epoch(1), Epoch(2)), Role::Static)
}

pub(super) fn up_again() -> Verdict {
    linked().up(A, B, (Epoch(1), Epoch(1)), Role::Static)
}

pub(super) fn up_in_doubt() -> Verdict {
    let mut links = sent(&[Privilege]);
    let doubted = [(Privilege, Fate::InDoubt)];
    assert_eq!(links.down(A, B, &doubted), Ok(()));
    assert_eq!(links.down(B, A, &[]), Ok(()));
    links.up(A, B, (Epoch(2), Epoch(2)), Role::Static)
}

pub(super) fn same_roles() -> Verdict {
    let mut links = Links::new();
    let epochs = (Epoch(1), Epoch(1));
    assert_eq!(links.up(A, B, epochs, Role::Static), Ok(()));
    links.up(B, A, epochs, Role::Static)
}

pub(super) fn transport_doubles() -> Verdict {
    let mut once = Once::new();
    once.sent(A, B, &Request);
    assert_eq!(once.received(B, A, &Request), Ok(()));
    once.received(B, A, &Request)
}

pub(super) fn transport_denies_delivery() -> Verdict {
    let mut once = Once::new();
    once.sent(A, B, &Request);
    assert_eq!(once.peer_restarted(A, B, &[], &[Request]), Ok(()));
    once.sent(A, B, &Request);
    assert_eq!(once.received(B, A, &Request), Ok(()));
    once.peer_restarted(A, B, &[], &[Request])
}

pub(super) fn transport_forgets() -> Verdict {
    let mut once = Once::new();
    once.sent(A, B, &Request);
    once.peer_restarted(A, B, &[], &[])
}

/// Only a node's own restart excuses it from being told.
pub(super) fn transport_forgets_after_another_restart() -> Verdict {
    let restarted = |node| {
        let mut once = Once::new();
        once.sent(A, B, &Request);
        once.restarted(node);
        once.peer_restarted(A, B, &[], &[])
    };
    assert_eq!(restarted(A), Ok(()));
    restarted(NodeId(2))
}
