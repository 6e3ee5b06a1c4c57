//! What the small parts cost: `cargo bench --bench micro`.

use divan::{Bencher, black_box};
use manet_mutex::graph::Graph;
use manet_mutex::machine::{Actions, Event, Protocol};
use manet_mutex::protocol::Population;
use manet_mutex::protocol::reversal::Height;
use manet_mutex::protocol::rl::{Rl, RlMessage};
use manet_mutex::wire::{decode, encode};
use manet_mutex::{NodeId, Time};
use manet_mutex_sim::world::queue::Queue;

fn main() {
    divan::main();
}

/// A node hears of a neighbour's new height, by number of neighbours.
#[divan::bench(args = [2, 10, 30, 100])]
fn rl_link_info(bencher: Bencher<'_, '_>, neighbours: usize) {
    let nodes = Rl::settled(&Graph::complete(neighbours + 1), &Default::default());
    let mut node = nodes.expect("connected").swap_remove(1);
    let mut out = Actions::new();
    let mut h2 = 0;
    bencher.bench_local(|| {
        h2 -= 1;
        let height = Height {
            h1: 0,
            h2,
            id: NodeId(0),
        };
        let (from, msg) = (NodeId(0), RlMessage::LinkInfo(height));
        let handled = node.handle(Event::Message { from, msg }, &mut out);
        black_box(out.drain().count());
        handled
    });
}

const TOKEN: RlMessage = RlMessage::Token {
    height: Height {
        h1: 0,
        h2: -12_345,
        id: NodeId(29),
    },
    more: true,
};

#[divan::bench]
fn wire_encode(bencher: Bencher<'_, '_>) {
    let mut bytes = Vec::new();
    bencher.bench_local(|| {
        bytes.clear();
        encode(black_box(&TOKEN), &mut bytes)
    });
}

#[divan::bench]
fn wire_decode(bencher: Bencher<'_, '_>) {
    let mut bytes = Vec::new();
    encode(&TOKEN, &mut bytes).expect("small enough");
    bencher.bench_local(|| decode::<RlMessage>(black_box(&bytes)));
}

/// One event out of the queue and one in, by how many are in it.
#[divan::bench(args = [30, 1_000, 100_000])]
fn queue_pop_push(bencher: Bencher<'_, '_>, pending: u64) {
    let mut queue = Queue::new();
    for i in 0..pending {
        queue.push(Time(i.wrapping_mul(0x9e37_79b9) % pending), i);
    }
    bencher.bench_local(|| {
        if let Some((time, what)) = queue.pop() {
            queue.push(
                Time(time.0 + 1 + what.wrapping_mul(0x9e37_79b9) % pending),
                what + 1,
            );
        }
    });
}
