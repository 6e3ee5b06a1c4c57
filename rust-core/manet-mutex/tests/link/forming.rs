//! How links come up.

use super::net::{Air, Kind, Net, alone, plain, token};
use manet_mutex::NodeId;
use manet_mutex::link::{Config, Drop, Note, Outbox, State};
use manet_mutex::machine::{Event, Role};

#[test]
fn a_link_needs_three_hellos_and_comes_up_at_both_ends() {
    let mut net = Net::new(2);
    net.run_until(|net| net.count(1, Kind::Hello) == 2);
    assert_eq!(net.pair(0, 1).state(), State::Down);
    net.run_until(|net| net.count(1, Kind::Hello) == 3);
    assert!(net.pair(0, 1).state() >= State::Heard);
    net.run_until(|net| net.is_up(0, 1) && net.is_up(1, 0));
    assert!(net.count(0, Kind::Hello).max(net.count(1, Kind::Hello)) <= 5);
}

#[test]
fn one_end_is_moving_and_the_other_static() {
    for seed in 0..8 {
        let config = Config { seed, ..alone() };
        let mut net = Net::with(&[config.clone(), config]);
        net.run(5.0);
        let mut roles = [role(&mut net, 0), role(&mut net, 1)];
        roles.sort_by_key(|role| *role == Role::Moving);
        assert_eq!(roles, [Role::Static, Role::Moving], "seed {seed}");
    }
}

#[test]
fn a_link_that_works_one_way_stays_down() {
    let mut net = Net::new(2);
    net.deafen(1, 0);
    net.run(20.0);
    assert!(net.link(0).pair(NodeId(1)).is_none());
    assert_eq!(net.pair(1, 0).state(), State::Heard);
    assert!(net.events(1).is_empty());
}

#[test]
fn a_weak_peer_does_not_become_a_neighbour() {
    let mut net = Net::new(2);
    net.power(0, 1, -79.0); // kept, but not formed: -82 + 2 + 1.5
    net.run(20.0);
    assert_eq!(net.pair(1, 0).state(), State::Down);
    net.power(0, 1, -78.0);
    net.run(5.0);
    assert!(net.is_up(0, 1) && net.is_up(1, 0));
}

#[test]
fn hellos_have_to_come_in_a_row() {
    let mut net = Net::new(2);
    for _ in 0..10 {
        let hellos = net.count(0, Kind::Hello);
        net.air = |_, _, _| Air::Clear;
        net.run_until(|net| net.count(0, Kind::Hello) == hellos + 2);
        net.air = |from, _, _| if from == 0 { Air::Lost } else { Air::Clear };
        net.run_until(|net| net.count(0, Kind::Hello) == hellos + 3);
        assert_eq!(net.pair(1, 0).state(), State::Down);
    }
}

#[test]
fn a_message_brings_up_an_end_that_is_late() {
    let mut net = Net::new(2);
    net.run_until(|net| net.is_up(0, 1) || net.is_up(1, 0));
    let (early, late) = if net.is_up(0, 1) { (0, 1) } else { (1, 0) };
    assert_eq!(net.pair(late, early).state(), State::Sym);
    net.send(early, late, plain(7));
    let events = net.events(late);
    assert!(
        matches!(
            events[..],
            [Event::LinkUp { .. }, Event::Message { msg, .. }] if msg == plain(7)
        ),
        "{events:?}"
    );
    assert!(matches!(net.notes(late)[..], [Note::Up { .. }]));
}

#[test]
fn nothing_is_taken_for_a_link_that_is_not_up() {
    let mut net = Net::new(2);
    net.run_until(|net| net.count(1, Kind::Hello) == 2);
    let (mut link, mut out) = (net.link(0).clone(), Outbox::new());
    for peer in [1, 9] {
        let refused = link.send(net.now, NodeId(peer), token(1), &mut out);
        assert_eq!(refused, Err(token(1)), "to {peer}");
    }
    assert_eq!(out.frames().count(), 0);
}

#[test]
fn late_peers_stay_strangers_when_there_are_too_many() {
    let small = Config {
        neighbours: 2,
        ..alone()
    };
    let config = alone;
    let mut net = Net::with(&[small, config(), config(), config()]);
    net.part(0, 3);
    net.run(5.0);
    net.meet(0, 3);
    net.notes(0);
    net.run(10.0);
    assert!(net.is_up(0, 1) && net.is_up(0, 2));
    assert_eq!(net.pair(0, 3).state(), State::Down);
    assert_eq!(net.pair(3, 0).state(), State::Heard);
    let (peer, most) = (NodeId(3), 2);
    assert_eq!(net.notes(0), [Note::Crowded { peer, most }], "once");
}

#[test]
fn a_place_that_becomes_free_is_taken() {
    let small = Config {
        neighbours: 1,
        ..alone()
    };
    let mut net = Net::with(&[small, alone(), alone()]);
    net.part(0, 2);
    net.run(5.0);
    net.meet(0, 2);
    net.run(5.0);
    assert!(net.is_up(0, 1) && !net.is_up(0, 2));
    net.part(0, 1);
    net.run(5.0);
    assert!(!net.is_up(0, 1) && net.is_up(0, 2) && net.is_up(2, 0));
    net.part(0, 2);
    net.meet(0, 1);
    net.run(5.0);
    net.notes(0);
    net.meet(0, 2);
    net.run(5.0);
    let (peer, most) = (NodeId(2), 1);
    assert_eq!(net.notes(0), [Note::Crowded { peer, most }], "again");
}

#[test]
fn a_node_that_moves_gives_way() {
    for mover in [0, 1] {
        let mut net = Net::new(2);
        net.motion(mover, true);
        net.run(5.0);
        assert_eq!(role(&mut net, mover), Role::Moving);
        assert_eq!(role(&mut net, 1 - mover), Role::Static);
    }
}

#[test]
fn a_node_inside_stays() {
    for inside in [0, 1] {
        let mut net = Net::new(2);
        net.inside(inside);
        net.run(5.0);
        assert_eq!(role(&mut net, inside), Role::Static);
        assert_eq!(role(&mut net, 1 - inside), Role::Moving);
    }
}

#[test]
fn a_stop_and_go_does_not_take_effect_later() {
    let mut net = Net::new(2);
    for moving in [true, false, true] {
        net.motion(0, moving);
    }
    net.run(5.0);
    assert_eq!(role(&mut net, 0), Role::Moving);
}

#[test]
fn an_attempt_with_a_peer_that_weakens_makes_room_for_another() {
    let small = Config {
        neighbours: 1,
        ..alone()
    };
    let mut net = Net::with(&[small, alone(), alone()]);
    net.part(0, 2);
    net.deafen(0, 1);
    net.run(5.0);
    assert_eq!(net.pair(0, 1).state(), State::Heard);
    net.power(1, 0, -81.9);
    net.run(3.0);
    assert_eq!(net.pair(0, 1).state(), State::Down);
    net.meet(0, 2);
    net.run(5.0);
    assert!(net.is_up(0, 2));
}

#[test]
fn after_a_close_it_takes_three_hellos_again() {
    let mut net = Net::linked();
    net.power(0, 1, -81.9);
    net.run_until(|net| !net.is_up(0, 1));
    net.forget();
    net.run_until(|net| net.pair(0, 1).state() >= State::Heard);
    assert_eq!(net.count(1, Kind::Hello), 3);
}

#[test]
fn equal_ends_take_turns() {
    let mut net = Net::new(2);
    for epoch in 0..4 {
        net.run(5.0);
        let (mine, _) = net.pair(0, 1).incarnation().expect("it is up");
        assert_eq!(mine.0, epoch);
        let expected = [Role::Static, Role::Moving][epoch as usize % 2];
        assert_eq!(role(&mut net, 0), expected);
        net.part(0, 1);
        net.run(5.0);
        net.forget();
        net.meet(0, 1);
    }
}

/// The role of a node that stops so long after it got that many of the three hellos it needs.
fn role_of_one_that_stops(hellos: usize, after: f64) -> Role {
    let mut net = Net::new(2);
    net.motion(0, true);
    net.run_until(|net| net.count(1, Kind::Hello) == hellos);
    net.run(after);
    net.motion(0, false);
    net.run(5.0);
    role(&mut net, 0)
}

#[test]
fn a_stop_counts_only_if_it_lasts() {
    assert_eq!(role_of_one_that_stops(2, 0.3), Role::Moving, "0.2 s");
    assert_eq!(role_of_one_that_stops(1, 0.0), Role::Static, "1 s");
}

#[test]
fn a_stop_and_go_is_no_stop() {
    let mut net = Net::new(2);
    net.motion(0, true);
    for _ in 0..20 {
        net.run(0.4);
        net.motion(0, false);
        net.motion(0, true);
    }
    assert_eq!(role(&mut net, 0), Role::Moving);
}

#[test]
fn a_stop_takes_effect_in_time() {
    let mut net = Net::new(1);
    for hellos in 1..20 {
        net.run_until(|net| net.count(0, Kind::Hello) == hellos);
        net.motion(0, true);
        net.motion(0, false);
        let most = net.now + Config::default().hello_interval;
        assert!(net.link(0).due() <= most);
    }
}

#[test]
fn a_restart_is_recognised_by_a_larger_life() {
    let mut net = Net::linked();
    net.restart(1, 1);
    net.run_until(|net| !net.is_up(0, 1));
    assert_eq!(net.count(1, Kind::Hello), 1, "by its first hello");
    net.run(5.0);
    assert!(net.is_up(0, 1) && net.is_up(1, 0));
}

#[test]
fn a_restart_in_the_same_life_is_ignored() {
    let mut net = Net::linked();
    net.run(10.0);
    net.restart(1, 0);
    net.run(8.0); // less than before, so its hellos have old numbers
    assert!(matches!(net.events(0)[..], [Event::LinkDown { .. }]));
    assert_eq!(net.pair(0, 1).state(), State::Down);
    assert!(net.link(0).counters().dropped(Drop::Replayed) >= 15);
}

/// The role that a node got with its only link.
fn role(net: &mut Net, id: u32) -> Role {
    let events = net.events(id);
    match events[..] {
        [Event::LinkUp { role, .. }] => role,
        _ => panic!("not one link up: {events:?}"),
    }
}
