// Draws a view on a canvas: what of it is in sight, at the scale that the reader chose.

const colours = {};  // of the style, light or dark
const font = (size, weight = "") =>
  `${weight} ${size}px Helvetica, Arial, "Liberation Sans", "DejaVu Sans", sans-serif`;

const labelSize = 11;
const markerSize = 12;
const markerRow = 17;
const mostEdges = 20000;  // that are drawn at once
const readableEdges = 400;  // that are; more are the paler, so that what lies among them stands out
const mostOverdue = 40;   // lines from deadlines to ends
const mostMessages = 600; // lines from sends to receives

/// Lines across the plot: when all is over, and no sooner than when.
const markers = [{at: plan.makespan, words: `makespan ${formatTime(plan.makespan)}`,
                  colour: "orange", dash: []}];
if (plan.bound > 0)
  markers.push({at: plan.bound, words: `lower bound ${formatTime(plan.bound)}`,
                colour: "green", dash: [5, 3]});

class Diagram extends Viewport {
  constructor(canvas) {
    super(canvas);
    this.critical = true;
    this.focus = null;     // the node that stands out
    this.selected = null;  // a rectangle
    this.readColours();
    this.pending = false;
  }

  readColours() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["ink", "muted", "rule", "band", "paper", "blue", "light-blue", "purple",
                        "grey", "orange", "amber", "dark-amber", "green", "light-grey"])
      colours[name] = style.getPropertyValue(`--${name}`).trim();
    this.idle = this.stripes(colours.muted, 0.35);
    this.late = this.stripes(colours.paper, 0.7);
  }

  stripes(stroke, alpha) {
    const tile = document.createElement("canvas");
    tile.width = tile.height = 6;
    const context = tile.getContext("2d");
    context.strokeStyle = stroke;
    context.globalAlpha = alpha;
    context.beginPath();
    for (const at of [-6, 0, 6]) {
      context.moveTo(at, 6);
      context.lineTo(at + 6, 0);
    }
    context.stroke();
    return this.context.createPattern(tile, "repeat");
  }

  setView(view) {
    this.view = view;
    this.layout = layOut(view);
    this.byTransfer = {send: [], receive: [], message: [], local: []};
    for (const bars of this.layout.columns)
      for (const bar of bars) this.byTransfer[bar.kind][bar.index] = bar;
    this.selected = null;
    this.resize();
    this.fit();
  }

  pick(x, y) {
    if (x < this.left || x > this.right || y < this.top) return null;
    const [n, t] = this.place(x, y);
    const node = Math.floor(n);
    const slack = 3 / this.tScale;
    let found = null;
    for (const bar of this.layout.columns[node] || []) {
      const inside = n - node >= bar.from && n - node <= bar.to;
      if (!inside || bar.start > t + slack || bar.end < t - slack) continue;
      if (!found || bar.end - bar.start <= found.end - found.start ||
          (found.start > t || found.end < t)) found = bar;
    }
    return found;
  }

  select(bar) {
    this.selected = bar;
    if (bar) {
      const seen = [this.across / this.nScale, this.along / this.tScale];
      if (bar.node < this.n0 || bar.node + 1 > this.n0 + seen[0])
        this.n0 = bar.node + 0.5 - seen[0] / 2;
      if (bar.start < this.t0 || bar.end > this.t0 + seen[1])
        this.t0 = (bar.start + bar.end - seen[1]) / 2;
      this.clamp();
    }
    this.redraw();
  }

  redraw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.draw();
    });
  }

  draw() {
    const context = this.context;
    context.fillStyle = colours.paper;
    context.fillRect(0, 0, this.width, this.height);
    context.save();
    context.beginPath();
    context.rect(this.left, this.top, this.right - this.left, this.height - this.top);
    context.clip();
    if (this.view.graph) this.drawEdges();
    else this.drawIdle();
    this.drawGrid();
    if (!this.view.graph) this.drawGroups();
    this.drawn = 0;
    // Where names do not fit, labels are numbers, and the heads say whose.
    this.numbered = !this.view.flat && this.longest > this.room() - 3;
    const first = Math.max(0, Math.floor(this.n0));
    const last = Math.min(plan.nodes.length, Math.ceil(this.n0 + this.across / this.nScale));
    const shown = this.layout.columns.slice(first, last).flat()
      .filter((bar) => this.isSeen(bar.start, bar.end));
    for (const bar of shown) this.drawBar(bar);
    if (this.view.flat) this.drawMessages(shown);
    if (this.critical) this.drawPath();
    if (!this.view.graph) this.drawDeadlines();
    context.font = font(labelSize);
    for (const bar of shown) this.drawLabel(bar);
    this.drawSelection();
    context.restore();
    this.drawNames(first, last);
    if (this.view.graph) return this.tell();
    this.drawMarkers();
    this.drawTimes();
    this.tell();
  }

  /// To whoever looks from outside.
  tell() {
    document.documentElement.dataset.drawn = this.drawn;
    document.documentElement.dataset.view = this.view.name;
  }

  fade(bar) {
    if (this.focus === null || bar.node === this.focus) return 1;
    if (bar.kind === "local") return 0.15;
    const t = bar.index;
    return transfers.from[t] === this.focus || transfers.to[t] === this.focus ? 1 : 0.13;
  }

  drawIdle() {
    const context = this.context;
    context.fillStyle = this.idle;
    const half = (1 - gap) / 2;
    const parts = [];
    if (this.view.sends)
      parts.push(["send", gap / 2, this.view.receives ? gap / 2 + half : 1 - gap / 2]);
    if (this.view.receives)
      parts.push(["receive", this.view.sends ? gap / 2 + half : gap / 2, 1 - gap / 2]);
    for (const [kind, from, to] of parts)
      loads[kind].forEach(({until}, node) => {
        const [x, y, w, h] = this.box({node, from, to, start: 0, end: until});
        if (until > 0) context.fillRect(x, y, w, h);
      });
  }

  /// Whether a rectangle is on the critical path, and late; and its colour.
  look(bar) {
    const transfer = bar.kind !== "local";
    const critical = this.critical && criticalSpan(bar.kind === "local" ? "local" : "transfer", bar.index) !== null;
    const late = transfer && lateBy.has(bar.index);
    let fill = {send: colours.blue, receive: colours["light-blue"], local: colours.amber,
                message: colours["light-blue"]}[bar.kind];
    if (critical && this.view.graph) fill = colours.orange;
    if (late) fill = colours.purple;
    return {critical, late, fill};
  }

  drawBar(bar) {
    const context = this.context;
    const [x, y, w, h] = this.box(bar);
    const {critical, late, fill} = this.look(bar);
    const fade = this.fade(bar);
    if (fade < 1) {
      context.fillStyle = colours.paper;  // idle time must not shine through
      context.fillRect(x, y, w, h);
    }
    context.globalAlpha = fade;
    context.fillStyle = fill;
    context.fillRect(x, y, w, h);
    if (late) {
      context.fillStyle = this.late;
      context.fillRect(x, y, w, h);
    }
    if (critical && !this.view.graph) {
      // Only while all wait for it: of a long transfer that may be the least part.
      const [begins, ends] = criticalSpan(bar.kind, bar.index);
      const start = Math.max(bar.start, begins);
      const end = Math.min(bar.end, ends);
      context.fillStyle = colours.orange;
      if (end > start) context.fillRect(...this.box({...bar, start, end}));
    }
    const along = this.view.flat ? w : h;
    if (along > 2.5 && this.nScale > 5) {
      context.lineWidth = late && critical ? 2 : 0.8;
      context.strokeStyle = late && critical ? colours.orange
        : bar.kind === "send" && !critical ? colours.paper : critical ? colours.ink : colours.blue;
      context.strokeRect(x, y, w, h);
    }
    context.globalAlpha = 1;
    ++this.drawn;
  }

  /// Over the critical path, from which a rim in the rectangle's colour parts the letters.
  drawLabel(bar) {
    const context = this.context;
    const [x, y, w, h] = this.box(bar);
    if (h < 11 || w < 9) return;
    let text;
    if (bar.kind === "local") {
      text = plan.local[bar.index].strategy;
    } else {
      const other = bar.kind === "receive" ? transfers.from[bar.index] : transfers.to[bar.index];
      text = this.numbered ? String(other) : plan.nodes[other];
    }
    if (this.textWidth(text) > w - 2) return;
    const {critical, late, fill} = this.look(bar);
    const [begins, ends] = critical ? criticalSpan(bar.kind, bar.index) : [0, 0];
    const middle = (bar.start + bar.end) / 2;
    context.globalAlpha = this.fade(bar);
    context.textAlign = "center";
    context.textBaseline = "middle";
    if (this.critical) {
      context.lineWidth = 3;
      context.lineJoin = "round";
      context.strokeStyle = critical && begins <= middle && middle <= ends ? colours.orange : fill;
      context.strokeText(text, x + w / 2, y + h / 2 + 0.5);
    }
    context.fillStyle = late || bar.kind === "send" ? colours.paper : colours.ink;
    context.fillText(text, x + w / 2, y + h / 2 + 0.5);
    context.globalAlpha = 1;
  }

  /// Both ends of a way from one rectangle to the next: where that one is over, where this begins;
  /// in a pipeline that is sooner.
  ends(from, to) {
    const middle = (bar) => this.across_of(bar.node + (bar.from + bar.to) / 2);
    const over = this.view.graph ? from.end : Math.min(from.end, Math.max(from.start, to.start));
    const a = [middle(from), this.along_of(over)];
    const b = [middle(to), this.along_of(to.start)];
    return this.view.flat ? [a[1], a[0], b[1], b[0]] : [...a, ...b];
  }

  drawPath() {
    const context = this.context;
    context.strokeStyle = this.view.graph ? colours.orange : colours.ink;
    context.fillStyle = context.strokeStyle;
    context.lineWidth = this.view.graph ? 3 : 1.4;
    context.globalAlpha = this.focus === null ? 1 : 0.25;
    for (let s = 1; s < plan.path.length; ++s) {
      const kind = plan.path[s].kind;
      const first = this.view.graph ? "message"
        : !this.view.receives || (this.view.sends && kind === "sender") ? "send" : "receive";
      const second = this.view.graph ? "message"
        : this.view.receives && (!this.view.sends || kind === "receiver") ? "receive" : "send";
      const from = this.byTransfer[first][plan.path[s - 1].transfer];
      const to = this.byTransfer[second][plan.path[s].transfer];
      const [x1, y1, x2, y2] = this.ends(from, to);
      context.beginPath();
      context.moveTo(x1, y1);
      context.lineTo(x2, y2);
      context.stroke();
      if (this.view.graph || Math.abs(x2 - x1) + Math.abs(y2 - y1) < 2) continue;
      context.beginPath();
      context.arc(x2, y2, 2.4, 0, 2 * Math.PI);
      context.fill();
    }
    context.globalAlpha = 1;
  }

  /// Of those in sight: all, or where they are too many those of the node that stands out.
  drawEdges() {
    const context = this.context;
    const seen = [];
    for (let t = 0; t < count; ++t) {
      if (!this.isSeen(plan.depth[t] - 1, plan.depth[t] + 1)) continue;
      for (let e = plan.needFirst[t]; e < plan.needFirst[t + 1]; ++e) seen.push([t, e]);
    }
    const crowded = seen.length > mostEdges;
    context.lineWidth = 0.8;
    const strength = this.focus === null
      ? 0.8 * Math.min(1, Math.max(0.15, readableEdges / seen.length)) : 0.8;
    for (const [t, e] of seen) {
      const to = this.byTransfer.message[t];
      const from = this.byTransfer.message[plan.needs[e]];
      const clear = this.fade(from) === 1 && this.fade(to) === 1;
      if (crowded && (this.focus === null || !clear)) continue;
      const bond = plan.bonds[plan.needBond[e]];
      context.globalAlpha = clear ? strength : 0.1;
      context.strokeStyle = bond.colour;
      context.setLineDash(bond.dash);
      const [x1, y1, x2, y2] = this.ends(from, to);
      context.beginPath();
      context.moveTo(x1, y1);
      context.lineTo(x2, y2);
      context.stroke();
    }
    context.setLineDash([]);
    context.globalAlpha = 1;
    document.documentElement.dataset.edges = crowded && this.focus === null ? "hidden" : "shown";
  }

  lineAt(t, stroke, width, dash) {
    const context = this.context;
    const at = this.along_of(t);
    context.strokeStyle = stroke;
    context.lineWidth = width;
    context.setLineDash(dash);
    context.beginPath();
    if (this.view.flat) {
      context.moveTo(at, this.top);
      context.lineTo(at, this.height);
    } else {
      context.moveTo(this.left, at);
      context.lineTo(this.right, at);
    }
    context.stroke();
    context.setLineDash([]);
    return at;
  }

  shownTicks() {
    const spacing = this.view.flat ? 90 : 50;
    const last = Math.min(this.t0 + this.along / this.tScale, this.extent);
    return ticks(this.t0, last, this.along / spacing);
  }

  drawGrid() {
    if (this.view.graph) return;
    this.context.globalAlpha = 0.5;
    for (const tick of this.shownTicks()) this.lineAt(tick, colours["light-grey"], 1, []);
    this.context.globalAlpha = 1;
    for (const barrier of plan.barriers) this.lineAt(barrier, colours.muted, 1, [2, 3]);
  }

  /// From the deadlines that are missed to the ends.
  drawDeadlines() {
    const context = this.context;
    for (const [t, late] of lateBy) {
      // Many of these lines would hide each other.
      const own = this.focus !== null && (transfers.from[t] === this.focus ||
                                          transfers.to[t] === this.focus);
      const chosen = this.selected && this.selected.kind !== "local" && this.selected.index === t;
      if (!own && !chosen && (this.focus !== null || lateBy.size > mostOverdue)) continue;
      for (const kind of ["send", "receive"]) {
        const bar = this.byTransfer[kind][t];
        if (!bar) continue;
        const due = this.along_of(transfers.end[t] - late);
        const end = this.along_of(bar.end);
        const edge = this.across_of(bar.node + bar.to) - 2;
        context.fillStyle = colours.ink;
        if (this.view.flat) context.fillRect(due, edge, end - due, 2);
        else context.fillRect(edge, due, 2, end - due);
      }
    }
  }

  drawSelection() {
    if (!this.selected) return;
    const [x, y, w, h] = this.box(this.selected);
    this.context.lineWidth = 3;
    this.context.strokeStyle = colours.ink;
    this.context.strokeRect(x - 1.5, y - 1.5, w + 3, h + 3);
  }
}
