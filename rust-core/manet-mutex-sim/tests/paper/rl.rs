//! Walter, Welch, Vaidya, *A Mutual Exclusion Algorithm for Ad Hoc Mobile Networks*, statement by
//! statement: one test each, on one node, with the place in its comment.

use manet_mutex::graph::Graph;
use manet_mutex::machine::{Action, Actions, Event, Fate, Protocol, Role};
use manet_mutex::protocol::Population;
use manet_mutex::protocol::reversal::Height;
use manet_mutex::protocol::rl::RlMessage::{self, LinkInfo, Request};
use manet_mutex::protocol::rl::{Config, Rl, Status};
use manet_mutex::{Demand, NodeId};

/// One node of a network, handed events by the test, which plays all its neighbours.
struct Node(Rl);

/// What a node did at an event.
#[derive(Debug, Default, PartialEq)]
struct Did {
    sent: Vec<(u32, RlMessage)>,
    entered: bool,
}

/// Node `id` of a network with these links, with the paper's messages: heights are (0,distance,i)
/// and node 0 has the token.
fn node(links: &str, id: usize) -> Node {
    with(links, id, &Config::paper())
}

fn with(links: &str, id: usize, config: &Config) -> Node {
    let graph: Graph = links.parse().expect("links");
    let mut nodes = Rl::settled(&graph, config).expect("a connected network");
    Node(nodes.swap_remove(id))
}

impl Node {
    fn hand(&mut self, event: Event<RlMessage>) -> Did {
        let mut out = Actions::new();
        self.0.handle(event, &mut out).expect("a legal event");
        let mut did = Did::default();
        for action in out.drain() {
            match action {
                Action::Send { to, msg } => did.sent.push((to.0, msg)),
                Action::Enter(_) => did.entered = true,
                _ => {}
            }
        }
        did
    }

    fn request(&mut self) -> Did {
        self.hand(Event::Request(Demand::Exclusive))
    }

    fn release(&mut self) -> Did {
        self.hand(Event::Release)
    }

    /// A message; its sender is in the height.
    fn hear(&mut self, msg: RlMessage) -> Did {
        let from = msg.height().id;
        self.hand(Event::Message { from, msg })
    }

    fn up(&mut self, peer: u32) -> Did {
        let (peer, role) = (NodeId(peer), Role::Static);
        self.hand(Event::LinkUp { peer, role })
    }

    fn down(&mut self, peer: u32) -> Did {
        let (peer, unacked) = (NodeId(peer), Vec::new());
        self.hand(Event::LinkDown { peer, unacked })
    }

    fn height(&self) -> (i64, i64) {
        (self.0.dag().height().h1, self.0.dag().height().h2)
    }

    fn queue(&self) -> Vec<u32> {
        self.0.queue().iter().map(|node| node.0).collect()
    }

    fn next(&self) -> Option<u32> {
        self.0.dag().next().map(|next| next.0)
    }

    /// The node's view of a neighbour.
    fn view(&self, peer: u32) -> Option<Height> {
        self.0.dag().neighbours().find(|height| height.id.0 == peer)
    }
}

fn h(h1: i64, h2: i64, id: u32) -> Height {
    let id = NodeId(id);
    Height { h1, h2, id }
}

fn token(height: Height) -> RlMessage {
    let more = false;
    RlMessage::Token { height, more }
}

fn sent<const N: usize>(sent: [(u32, RlMessage); N]) -> Did {
    let (sent, entered) = (sent.to_vec(), false);
    Did { sent, entered }
}

/// [RL 4.1, myHeight]: its example.
#[test]
fn heights_compare_lexicographically() {
    assert!(h(2, 3, 1) > h(2, 2, 2));
    assert!(h(2, 2, 1) < h(2, 2, 2));
}

/// [RL 4.1, tokenHolder, next, Q, status].
#[test]
fn node_0_starts_with_the_token_and_the_others_point_downwards() {
    let (zero, two) = (node("0-1,1-2", 0), node("0-1,1-2", 2));
    assert!(zero.0.dag().has_token() && !two.0.dag().has_token());
    assert_eq!((zero.next(), two.next()), (Some(0), Some(1)));
    assert_eq!((zero.0.status(), zero.queue()), (Status::Remainder, vec![]));
    assert_eq!(two.view(1), Some(h(0, 1, 1)));
}

/// [RL 4.1, Q]: Enqueue adds nobody twice.
#[test]
fn a_neighbour_is_queued_once() {
    let mut one = node("0-1,1-2", 1);
    one.hear(Request(h(0, 2, 2)));
    one.hear(Request(h(0, 2, 2)));
    assert_eq!(one.queue(), [2]);
}

/// [RL 4.3, request, lines 1 to 4; ForwardRequest].
#[test]
fn a_requester_queues_itself_and_asks_its_lowest_neighbour() {
    let mut three = node("0-1,0-2,1-3,2-3", 3);
    assert_eq!(three.request(), sent([(1, Request(h(0, 2, 3)))]));
    assert_eq!(three.0.status(), Status::Waiting);
    assert_eq!((three.queue(), three.next()), (vec![3], Some(1)));
}

/// [RL 4.3, request, line 4].
#[test]
fn a_requester_with_others_in_its_queue_has_asked_already() {
    let mut one = node("0-1,1-2", 1);
    one.hear(Request(h(0, 2, 2)));
    assert_eq!(one.request(), sent([]));
    assert_eq!(one.queue(), [2, 1]);
}

/// [RL 4.3, request, line 5].
#[test]
fn a_holder_that_requests_enters() {
    let mut zero = node("0-1", 0);
    assert!(zero.request().entered);
    assert_eq!((zero.0.status(), zero.queue()), (Status::Critical, vec![]));
}

/// [RL 4.3, release, line 1].
#[test]
fn a_release_passes_the_token_to_the_head_of_the_queue() {
    let mut zero = node("0-1,0-2", 0);
    zero.request();
    zero.hear(Request(h(0, 1, 2)));
    assert_eq!(zero.release(), sent([(2, token(h(0, 0, 0)))]));
    assert_eq!((zero.0.status(), zero.next()), (Status::Remainder, Some(2)));
}

/// [RL 4.3, release, line 1].
#[test]
fn a_release_with_nobody_waiting_keeps_the_token() {
    let mut zero = node("0-1", 0);
    zero.request();
    assert_eq!(zero.release(), sent([]));
    assert!(zero.0.dag().has_token() && zero.next() == Some(0));
}

/// [RL 4.3, Request, line 1].
#[test]
fn a_request_is_ignored_from_a_node_that_has_not_confirmed_the_token() {
    let mut zero = node("0-1,0-2", 0);
    zero.hear(Request(h(0, 1, 1))); // the token goes to 1
    assert_eq!(zero.hear(Request(h(0, 1, 1))), sent([]));
    assert!(zero.queue().is_empty());
    assert_eq!(zero.view(1), Some(h(0, -1, 1)));
}

/// [RL 4.3, Request, lines 2 and 3].
#[test]
fn a_request_over_an_outgoing_link_only_tells_the_height() {
    let mut two = node("0-1,1-2,0-2", 2);
    assert_eq!(two.hear(Request(h(0, 0, 1))), sent([]));
    assert_eq!((two.queue(), two.view(1)), (vec![], Some(h(0, 0, 1))));
}

/// [RL 4.3, Request, line 5].
#[test]
fn an_idle_holder_passes_the_token_at_once_and_one_inside_does_not() {
    let mut idle = node("0-1", 0);
    let passed = sent([(1, token(h(0, 0, 0)))]);
    assert_eq!(idle.hear(Request(h(0, 1, 1))), passed);
    let mut inside = node("0-1", 0);
    inside.request();
    assert_eq!(inside.hear(Request(h(0, 1, 1))), sent([]));
    assert_eq!(inside.queue(), [1]);
}

/// [RL 4.3, Request, line 8].
#[test]
fn a_node_forwards_one_request_for_its_whole_queue() {
    let mut one = node("0-1,1-2,1-3", 1);
    let asked = sent([(0, Request(h(0, 1, 1)))]);
    assert_eq!(one.hear(Request(h(0, 2, 3))), asked);
    assert_eq!(one.hear(Request(h(0, 2, 2))), sent([]));
    assert_eq!(one.queue(), [3, 2]);
}

/// [RL 4.3, Request, line 8].
#[test]
fn a_request_from_next_sends_the_queue_another_way() {
    let mut three = node("0-1,0-2,1-3,2-3", 3);
    three.request();
    let asked = sent([(2, Request(h(0, 2, 3)))]);
    assert_eq!(three.hear(Request(h(1, 1, 1))), asked);
    assert_eq!((three.queue(), three.next()), (vec![3, 1], Some(2)));
}

/// [RL 4.3, Request, line 7].
#[test]
fn a_request_over_the_last_outgoing_link_makes_a_node_raise_itself() {
    let mut one = node("0-1,1-2", 1);
    let did = one.hear(Request(h(1, 0, 0)));
    assert_eq!(one.height(), (1, -1));
    let told = LinkInfo(h(1, -1, 1));
    // Node 0 is still above, and 2 below: the request goes there.
    assert_eq!(did, sent([(0, told), (2, told), (2, Request(h(1, -1, 1)))]));
    assert_eq!(one.queue(), [0]);
}

/// [RL 4.3, Token, lines 1 to 6].
#[test]
fn a_token_lowers_its_receiver_which_tells_those_below_and_the_sender() {
    // Below node 2: 0 and 1. Above: 3.
    let mut two = node("0-1,0-2,1-2,2-3", 2);
    two.request();
    let did = two.hear(token(h(0, 0, 0)));
    let told = LinkInfo(h(0, -1, 2));
    assert_eq!(did.sent, [(0, told), (1, told)]);
    assert_eq!((two.height(), two.next()), ((0, -1), Some(2)));
    assert!(two.0.dag().has_token());
}

/// [RL 4.3, Token, line 3]: the sender is told even if it is above.
#[test]
fn a_token_from_above_is_confirmed_as_well() {
    let mut one = node("0-1,1-2", 1);
    one.hear(Request(h(0, 2, 2)));
    one.hear(token(h(0, 0, 0))); // passed on to 2
    one.hear(LinkInfo(h(0, -2, 2)));
    let did = one.hear(token(h(0, -2, 2)));
    assert_eq!(did, sent([(2, LinkInfo(h(0, -3, 1)))]));
}

/// [RL 4.3, Token, line 6].
#[test]
fn a_token_serves_the_head_of_the_queue_or_stays() {
    let mut one = node("0-1,1-2", 1);
    one.request();
    assert!(one.hear(token(h(0, 0, 0))).entered);

    let mut one = node("0-1,1-2", 1);
    one.hear(Request(h(0, 2, 2)));
    let (told, passed) = (LinkInfo(h(0, -1, 1)), token(h(0, -1, 1)));
    assert_eq!(one.hear(token(h(0, 0, 0))), sent([(0, told), (2, passed)]));

    let mut one = node("0-1,1-2", 1);
    one.hear(token(h(0, 0, 0)));
    assert_eq!((one.next(), one.0.status()), (Some(1), Status::Remainder));
}

/// [RL 4.3, formation of link; LinkInfo, line 1].
#[test]
fn a_new_link_is_told_the_height_and_counts_from_the_first_answer_on() {
    let mut two = node("0-1,1-2", 2);
    assert_eq!(two.up(0), sent([(0, LinkInfo(h(0, 2, 2)))]));
    assert_eq!(two.view(0), None);
    assert_eq!(two.hear(LinkInfo(h(0, 0, 0))), sent([]));
    assert_eq!(two.view(0), Some(h(0, 0, 0)));
}

/// [RL 4.3, LinkInfo, lines 2 and 3].
#[test]
fn a_height_that_changed_while_the_link_formed_is_told_again() {
    let mut one = node("0-1", 1);
    one.up(2);
    one.hear(LinkInfo(h(3, 0, 0))); // raises node 1
    assert_eq!(one.height(), (4, 1));
    let did = one.hear(LinkInfo(h(0, 2, 2)));
    assert_eq!(did, sent([(2, LinkInfo(h(4, 1, 1)))]));
    assert_eq!(one.hear(LinkInfo(h(0, 2, 2))), sent([]));
}

/// [RL 4.3, LinkInfo, lines 5 and 6].
#[test]
fn heights_older_than_the_token_are_not_recorded() {
    let mut zero = node("0-1", 0);
    zero.hear(Request(h(0, 1, 1))); // the token goes to 1
    zero.hear(LinkInfo(h(7, 1, 1))); // sent before it arrived
    assert_eq!(zero.view(1), Some(h(0, -1, 1)));
    zero.hear(LinkInfo(h(0, -1, 1))); // the confirmation
    zero.hear(LinkInfo(h(0, -9, 1)));
    assert_eq!(zero.view(1), Some(h(0, -9, 1)));
}

/// [RL 4.3, LinkInfo, line 7].
#[test]
fn a_neighbour_that_is_lower_now_leaves_the_queue() {
    let mut one = node("0-1,1-2", 1);
    one.hear(Request(h(0, 2, 2)));
    one.hear(LinkInfo(h(0, -4, 2)));
    assert!(one.queue().is_empty());
}

/// [RL 4.3, LinkInfo, line 8].
#[test]
fn a_node_without_outgoing_links_raises_itself_unless_it_holds_the_token() {
    let mut one = node("0-1,1-2", 1);
    one.hear(LinkInfo(h(2, 0, 0)));
    assert_eq!(one.height(), (1, 1));
    let mut zero = node("0-1", 0);
    assert_eq!(zero.hear(LinkInfo(h(5, 1, 1))), sent([]));
    assert_eq!(zero.height(), (0, 0));
}

/// [RL 4.3, LinkInfo, line 9].
#[test]
fn a_reversed_link_to_next_sends_the_queue_another_way() {
    let mut three = node("0-1,0-2,1-3,2-3", 3);
    assert_eq!(three.hear(LinkInfo(h(0, 1, 1))), sent([])); // nobody waits
    three.request();
    let asked = sent([(2, Request(h(0, 2, 3)))]);
    assert_eq!(three.hear(LinkInfo(h(1, 1, 1))), asked);
}

/// [RL 4.3, failure of link, lines 1, 2 and 6].
#[test]
fn a_failed_link_takes_its_request_along_and_nothing_else() {
    let mut one = node("0-1,1-2,1-3", 1);
    one.hear(Request(h(0, 2, 2)));
    one.hear(Request(h(0, 2, 3)));
    assert_eq!(one.down(2), sent([]));
    assert_eq!((one.queue(), one.view(2)), (vec![3], None));
}

/// [RL 4.3, failure of link, line 4].
#[test]
fn a_holder_only_forgets_a_failed_link() {
    let mut zero = node("0-1,0-2", 0);
    zero.request();
    zero.hear(Request(h(0, 1, 1)));
    assert_eq!(zero.down(1), sent([]));
    assert_eq!((zero.queue(), zero.height()), (vec![], (0, 0)));
}

/// [RL 4.3, failure of link, line 5].
#[test]
fn the_last_outgoing_link_fails_and_the_node_raises_itself() {
    let mut one = node("0-1,1-2", 1);
    one.request();
    let (told, asked) = (LinkInfo(h(1, 1, 1)), Request(h(1, 1, 1)));
    assert_eq!(one.down(0), sent([(2, told), (2, asked)]));
}

/// [RL 4.3, failure of link, line 6].
#[test]
fn the_link_to_next_fails_and_the_queue_goes_another_way() {
    let mut three = node("0-1,0-2,1-3,2-3", 3);
    three.request();
    assert_eq!(three.down(1), sent([(2, Request(h(0, 2, 3)))]));
    let mut idle = node("0-1,0-2,1-3,2-3", 3);
    assert_eq!(idle.down(1), sent([]));
}

/// [RL 4.3, failure of link, line 3].
#[test]
fn a_failed_link_needs_no_confirmation_of_its_token_any_more() {
    let mut zero = node("0-1,0-2", 0);
    zero.hear(Request(h(0, 1, 1))); // the token goes to 1, and arrives
    let (peer, unacked) = (NodeId(1), vec![(token(h(0, 0, 0)), Fate::Delivered)]);
    zero.hand(Event::LinkDown { peer, unacked });
    zero.up(1);
    zero.hear(LinkInfo(h(0, -5, 1)));
    assert_eq!(zero.view(1), Some(h(0, -5, 1)));
}

/// [RL 4.3, GiveTokenToNext, lines 3 to 5].
#[test]
fn requests_follow_the_token() {
    let mut zero = node("0-1,0-2", 0);
    zero.hear(Request(h(0, 1, 1)));
    assert!(!zero.0.dag().has_token());
    assert_eq!(zero.view(1), Some(h(0, -1, 1)));
    let asked = sent([(1, Request(h(0, 0, 0)))]);
    assert_eq!(zero.hear(Request(h(0, 1, 2))), asked);
}

/// [RL 4.3, GiveTokenToNext, line 7].
#[test]
fn a_token_is_asked_back_for_those_still_waiting() {
    let wait = |zero: &mut Node| {
        zero.request();
        zero.hear(Request(h(0, 1, 1)));
        zero.hear(Request(h(0, 1, 2)));
        zero.release()
    };
    let mine = h(0, 0, 0);
    let mut zero = node("0-1,0-2", 0);
    let two = sent([(1, token(mine)), (1, Request(mine))]);
    assert_eq!(wait(&mut zero), two);
    assert_eq!(zero.queue(), [2]);
    // In one message instead of two, where the paper's own are not asked for.
    let (height, more) = (mine, true);
    let both = RlMessage::Token { height, more };
    let mut zero = with("0-1,0-2", 0, &Config::default());
    assert_eq!(wait(&mut zero), sent([(1, both)]));
}

/// [RL 4.3, RaiseHeight, lines 1 to 3]: partial reversal.
#[test]
fn a_raise_reverses_as_few_links_as_it_can() {
    // Above node 1: 2 at h1 = 0, 3 at h1 = 1. It rises above the first and stays below the other.
    let mut one = node("0-1,1-2,1-3", 1);
    one.hear(LinkInfo(h(1, 6, 3)));
    one.down(0);
    assert_eq!(one.height(), (1, 5));
    // Nobody there: h2 stays.
    let mut one = node("0-1,1-2,1-3", 1);
    one.down(0);
    assert_eq!(one.height(), (1, 1));
}

/// [RL 4.3, RaiseHeight, lines 4 to 6].
#[test]
fn a_raise_is_told_to_all_and_drops_those_who_are_lower_now() {
    let mut one = node("0-1,1-2,1-3", 1);
    one.hear(Request(h(0, 2, 2)));
    one.hear(Request(h(3, 0, 3)));
    let (told, asked) = (LinkInfo(h(1, 1, 1)), Request(h(1, 1, 1)));
    assert_eq!(one.down(0), sent([(2, told), (3, told), (2, asked)]));
    assert_eq!(one.queue(), [3]);
}
