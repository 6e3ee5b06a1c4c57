// What happened, as a function of time: any moment can be asked for, going on is cheap.

/** The index of the last of sorted numbers that is not above a value, or -1. */
function lastUpTo(numbers, value) {
  let low = 0,
    high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Columns of a table whose times are written as differences. */
function columns(table) {
  let time = 0;
  return { ...table, t: table.t.map((step) => (time += step) / data.ticks) };
}

class Recording {
  constructor() {
    this.nodes = data.nodes;
    this.end = data.shown / data.ticks;
    this.links = columns(data.links);
    this.tokens = columns(data.tokens);
    this.doubts = columns(data.doubts);
    this.pointers = columns(data.pointers);
    this.motions = this.byNode(columns(data.motions), data.motions.n);
    this.visits = this.byNode(this.visitColumns(), data.visits.n);
    this.messages = this.mergedMessages();
    this.state = null;
  }

  visitColumns() {
    const visits = columns(data.visits);
    return { ...visits, e: visits.t.map((begin, i) => begin + visits.l[i] / data.ticks) };
  }

  /** Rows by node, each with its times for a quick search. */
  byNode(table, nodes) {
    const result = Array.from({ length: this.nodes }, () => ({ t: [], row: [] }));
    nodes.forEach((node, i) => {
      result[node].t.push(table.t[i]);
      result[node].row.push(i);
    });
    for (const list of result) list.table = table;
    return result;
  }

  /** All kinds of messages in the order of time. */
  mergedMessages() {
    const all = [];
    Object.entries(data.messages).forEach(([kind, table]) => {
      const { t, a, b } = columns(table);
      t.forEach((time, i) => all.push({ t: time, a: a[i], b: b[i], kind }));
    });
    all.sort((one, other) => one.t - other.t);
    return { list: all, t: all.map((message) => message.t) };
  }

  /** Where a node is. */
  place(node, time) {
    const { t, row, table } = this.motions[node];
    if (!t.length) return null;
    const i = Math.max(lastUpTo(t, time), 0),
      r = row[i],
      passed = Math.max(time - t[i], 0);
    return [table.x[r] + table.vx[r] * passed, table.y[r] + table.vy[r] * passed];
  }

  /** What a node is doing: {inside, since, demand}, or null if it is thinking. */
  doing(node, time) {
    const { t, row, table } = this.visits[node];
    const i = lastUpTo(t, time);
    if (i < 0 || time >= table.e[row[i]]) return null;
    return { inside: table.w[row[i]] === 1, since: t[i], demand: table.d[row[i]] };
  }

  /** How often a node has been inside so far, and how long it waited for that, in seconds. */
  record(node, time) {
    const { t, row, table } = this.visits[node];
    let entries = 0,
      waited = 0;
    for (let i = 0; i < t.length && t[i] <= time; i++) {
      if (table.w[row[i]] === 1) entries++;
      else waited += Math.min(table.e[row[i]], time) - t[i];
    }
    return { entries, waited };
  }

  /** Links, token, pointers and doubts at a time. */
  at(time) {
    let state = this.state;
    if (!state || state.time > time) {
      state = { links: new Set(), next: new Map(), doubts: new Map(), i: 0, j: 0, k: 0 };
    }
    const { links, pointers, doubts } = this;
    for (; state.i < links.t.length && links.t[state.i] <= time; state.i++) {
      const pair = links.a[state.i] * this.nodes + links.b[state.i];
      if (links.up[state.i]) state.links.add(pair);
      else state.links.delete(pair);
    }
    for (; state.j < pointers.t.length && pointers.t[state.j] <= time; state.j++) {
      state.next.set(pointers.n[state.j], pointers.to[state.j]);
    }
    for (; state.k < doubts.t.length && doubts.t[state.k] <= time; state.k++) {
      const node = doubts.n[state.k],
        count = state.doubts.get(node) || 0;
      state.doubts.set(node, Math.max(0, count + (doubts.open[state.k] ? 1 : -1)));
    }
    state.time = time;
    const token = lastUpTo(this.tokens.t, time);
    state.token = token < 0 ? null : { node: this.tokens.n[token], since: this.tokens.t[token] };
    this.state = state;
    return state;
  }

  /** When somebody enters next after a time, or entered last before it. */
  entry(time, forward) {
    const { t, w } = this.visits.length ? this.visits[0].table : { t: [], w: [] };
    let best = null;
    for (let i = 0; i < t.length; i++) {
      if (w[i] !== 1) continue;
      if (forward ? t[i] > time + 1e-9 : t[i] < time - 1e-9) {
        if (best === null || (forward ? t[i] < best : t[i] > best)) best = t[i];
      }
    }
    return best;
  }
}
