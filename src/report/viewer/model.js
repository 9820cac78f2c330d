// What the page knows of the plan, and where each rectangle goes. A place has two coordinates: `n`
// counts nodes, `t` is time in seconds (rows, in the graph of dependences).

const plan = JSON.parse(document.getElementById("plan").textContent);
const transfers = plan.transfers;
const count = transfers.from.length;
// Left out of the file where both ends are busy at the same time.
const sent = transfers.sent || transfers.end;
const arrival = transfers.arrival || transfers.start;

const stepOf = new Int32Array(count).fill(-1);
plan.path.forEach((step, place) => { stepOf[step.transfer] = place; });
const lateBy = new Map(plan.late);
/// When a transfer, or a part inside a node, is what all wait for; null: never.
function criticalSpan(kind, index) {
  if (kind !== "local")
    return stepOf[index] < 0 ? null : [plan.path[stepOf[index]].begins, plan.path[stepOf[index]].ends];
  const part = plan.local[index];
  const {path} = plan;
  if (index === plan.localLast) return [path.length > 0 ? path[path.length - 1].ends : part.start, part.end];
  if (index === plan.localFirst) return [part.start, path.length > 0 ? path[0].begins : part.end];
  return null;
}
/// The first node of each group, and how many it has.
const groups = [];
for (const {name, nodes} of plan.groups)
  groups.push({name, nodes, first: groups.reduce((sum, group) => sum + group.nodes, 0)});
for (const bond of plan.bonds) bond.dash = (bond.dashes.match(/\d+/g) || []).map(Number);
const isSegmented = (t) => transfers.segments !== undefined && transfers.segments[t] > 1;

const views = [
  {name: "columns", title: "Sends", sends: true, receives: false},
  {name: "receive-columns", title: "Receives", sends: false, receives: true},
  {name: "both", title: "Both", sends: true, receives: true},
  {name: "lanes", title: "Lanes", sends: true, receives: true, flat: true},
  {name: "dependences", title: "Dependences", graph: true},
];

/// Whether each name ends in its node's number, so that it need not be said beside it.
const counted = plan.nodes.every((name, node) => /(?<!\d)\d+$/.exec(name)?.[0] === String(node));

const gap = 0.12;  // between columns

/// The rectangles of a view, by node and in the order of time.
function layOut(view) {
  const columns = plan.nodes.map(() => []);
  const add = (kind, index, node, from, to, start, end) =>
    columns[node].push({kind, index, node, from, to, start, end});
  const side = (1 - gap) / (view.sends && view.receives ? 2 : 1);
  const place = (kind, index, node, track, tracks, offset, start, end) => {
    const width = side / tracks;
    const from = gap / 2 + offset + track * width;
    add(kind, index, node, from, from + width, start, end);
  };
  const rows = [];
  if (view.graph) {
    for (let t = 0; t < count; ++t) {
      const row = plan.depth[t];
      add("message", t, transfers.from[t], 0.12, 0.88, row + 0.25, row + 0.75);
      rows.push(row + 1);
    }
    return {columns, last: rows.reduce((a, b) => Math.max(a, b), 1)};
  }
  let last = Math.max(plan.makespan, plan.bound);
  for (let t = 0; t < count; ++t) {
    if (view.sends) {
      const node = transfers.from[t];
      place("send", t, node, plan.sendTrack ? plan.sendTrack[t] : 0, plan.sendTracks[node], 0,
            transfers.start[t], sent[t]);
    }
    if (view.receives) {
      const node = transfers.to[t];
      place("receive", t, node, plan.receiveTrack ? plan.receiveTrack[t] : 0,
            plan.receiveTracks[node], view.sends ? side : 0, arrival[t], transfers.end[t]);
    }
    last = Math.max(last, transfers.end[t]);
  }
  if (view.sends)
    plan.local.forEach((part, index) => {
      place("local", index, part.node, part.track, plan.sendTracks[part.node], 0, part.start,
            part.end);
      last = Math.max(last, part.end);
    });
  for (const bars of columns) bars.sort((a, b) => a.start - b.start || a.end - b.end);
  return {columns, last: last > 0 ? last : 1};
}

/// Three digits and a unit; six in a unit of the network's own.
function formatTime(value) {
  if (plan.unit) return `${Number(value.toPrecision(6))} ${plan.unit}`;
  const units = [["s", 1], ["ms", 1e-3], ["us", 1e-6], ["ns", 1e-9]];
  if (value === 0) return "0 s";
  const size = Math.abs(value);
  const [name, unit] = units.find(([, least]) => size >= least * 0.9995) || units[3];
  return `${Number((value / unit).toPrecision(3))} ${name}`;
}

function formatBytes(value) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (value >= 1024 && unit + 1 < units.length) {
    value /= 1024;
    ++unit;
  }
  return `${Number(value.toFixed(2))} ${units[unit]}`;
}

/// What is said of a rectangle, in lines.
function describe(bar) {
  if (bar.kind === "local") {
    const part = plan.local[bar.index];
    return [`inside ${plan.nodes[part.node]}${part.strategy ? ": " + part.strategy : ""}`,
            `${formatTime(part.start)} to ${formatTime(part.end)}` +
              (criticalSpan("local", bar.index) ? ", on the critical path" : "")];
  }
  const t = bar.index;
  let what = `${plan.nodes[transfers.from[t]]} to ${plan.nodes[transfers.to[t]]}`;
  if (!plan.unit) what += `: ${formatBytes(transfers.bytes[t])}`;
  if (isSegmented(t)) what += `, in ${transfers.segments[t]} segments`;
  if (plan.combine.includes(t)) what += ", combined on receipt";
  if (plan.control.includes(t)) what += ", control";
  const lines = [what];
  if (sent[t] === transfers.end[t] && arrival[t] === transfers.start[t]) {
    lines.push(`${formatTime(transfers.start[t])} to ${formatTime(transfers.end[t])}, ` +
               `takes ${formatTime(transfers.end[t] - transfers.start[t])}`);
  } else {
    lines.push(`send ${formatTime(transfers.start[t])} to ${formatTime(sent[t])}`);
    lines.push(`receive ${formatTime(arrival[t])} to ${formatTime(transfers.end[t])}`);
  }
  if (stepOf[t] >= 0) {
    const step = plan.path[stepOf[t]];
    lines.push(`on the critical path, step ${stepOf[t] + 1} of ${plan.path.length}` +
               (step.bond ? `, waits for ${step.bond}` : ""));
  }
  if (lateBy.has(t)) lines.push(`misses its deadline by ${formatTime(lateBy.get(t))}`);
  return lines;
}

/// How long a node is busy with spans of time, and when the last one is over.
function load(spans) {
  spans.sort((a, b) => a[0] - b[0]);
  let busy = 0;
  let until = 0;
  for (const [start, end] of spans) {
    busy += Math.max(0, end - Math.max(start, until));
    until = Math.max(until, end);
  }
  return {busy, until};
}

const loads = (() => {
  const out = plan.nodes.map(() => []);
  const into = plan.nodes.map(() => []);
  for (let t = 0; t < count; ++t) {
    out[transfers.from[t]].push([transfers.start[t], sent[t]]);
    into[transfers.to[t]].push([arrival[t], transfers.end[t]]);
  }
  return {send: out.map(load), receive: into.map(load)};
})();

/// Round numbers within a range, about `most` of them.
function ticks(from, to, most) {
  const least = (to - from) / Math.max(1, most);
  if (!(least > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= least * 0.999);
  const out = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to; ++i) out.push(i * step);
  return out;
}
