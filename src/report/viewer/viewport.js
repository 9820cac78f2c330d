// Which part of a view is in sight, and where things are on the canvas. Across are nodes, along
// is time; a flat view has them the other way round.

class Viewport {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.widths = new Map();
  }

  /// Sizes, and the room around the plot: for names and times, and for what its markers say.
  resize() {
    const ratio = window.devicePixelRatio || 1;
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.font = font(labelSize);  // as textWidth() expects
    this.longest = plan.nodes.reduce((most, name) => Math.max(most, this.textWidth(name)), 20);
    const longest = Math.min(170, this.longest + (counted ? 0 : 26)) + 10;
    const [times, line] = [64, 24];
    this.left = this.view.flat ? longest : (this.view.graph ? 12 : times);
    this.right = this.width;
    this.top = line;
    this.turned = false;
    if (this.view.flat) {
      this.top += markers.length * markerRow;
    } else {
      if (!this.view.graph) this.right -= this.markerWidth();
      // Upright names are high; flat ones need columns wide enough.
      this.turned = (this.right - this.left) / plan.nodes.length <= longest;
      if (this.turned) this.top = longest;
    }
    const [high, wide] = [this.height - this.top, this.right - this.left];
    this.across = this.view.flat ? high : wide;
    this.along = this.view.flat ? wide : high;
    if (this.fitted) this.fit();
    else this.clamp();
  }

  markerWidth() {
    this.context.font = font(markerSize, "bold");
    return 16 + Math.max(...markers.map(({words}) => this.context.measureText(words).width));
  }

  /// In letters of a label's size.
  textWidth(text) {
    let width = this.widths.get(text);
    if (width === undefined) {
      width = this.context.measureText(text).width;
      this.widths.set(text, width);
    }
    return width;
  }

  get extent() { return this.layout.last * 1.015; }
  fit() {
    this.n0 = 0;
    this.t0 = 0;
    this.nScale = this.across / plan.nodes.length;
    this.tScale = this.along / this.extent;
    this.fitted = true;
    this.redraw();
  }

  clamp() {
    if (this.nScale === undefined) return;
    const least = [this.across / plan.nodes.length, this.along / this.extent];
    this.nScale = Math.min(Math.max(this.nScale, least[0]), Math.max(400, least[0]));
    this.tScale = Math.min(Math.max(this.tScale, least[1]), least[1] * 1e7);
    const within = (value, whole, seen) => Math.min(Math.max(value, 0), Math.max(0, whole - seen));
    this.n0 = within(this.n0, plan.nodes.length, this.across / this.nScale);
    this.t0 = within(this.t0, this.extent, this.along / this.tScale);
  }

  /// `x`, `y` stay where they are.
  zoom(acrossBy, alongBy, x = (this.left + this.right) / 2, y = (this.top + this.height) / 2) {
    const [n, t] = this.place(x, y);
    this.fitted = false;
    this.nScale *= acrossBy;
    this.tScale *= alongBy;
    this.clamp();
    const [a, b] = this.view.flat ? [y - this.top, x - this.left] : [x - this.left, y - this.top];
    this.n0 = n - a / this.nScale;
    this.t0 = t - b / this.tScale;
    this.clamp();
    this.redraw();
  }

  pan(x, y) {
    this.fitted = false;
    this.n0 -= (this.view.flat ? y : x) / this.nScale;
    this.t0 -= (this.view.flat ? x : y) / this.tScale;
    this.clamp();
    this.redraw();
  }

  /// The node and the time at a point.
  place(x, y) {
    const [a, b] = this.view.flat ? [y - this.top, x - this.left] : [x - this.left, y - this.top];
    return [this.n0 + a / this.nScale, this.t0 + b / this.tScale];
  }

  across_of(n) { return (this.view.flat ? this.top : this.left) + (n - this.n0) * this.nScale; }
  along_of(t) { return (this.view.flat ? this.left : this.top) + (t - this.t0) * this.tScale; }
  /// x, y, width, height in pixels.
  box(bar) {
    const a = this.across_of(bar.node + bar.from);
    const breadth = (bar.to - bar.from) * this.nScale;
    const b = this.along_of(bar.start);
    const length = Math.max(0.8, (bar.end - bar.start) * this.tScale);
    return this.view.flat ? [b, a, length, breadth] : [a, b, breadth, length];
  }

  /// How wide a rectangle is where none overlap.
  room() {
    const share = this.view.graph ? 0.76 : (1 - gap) / (this.view.sends && this.view.receives ? 2 : 1);
    return share * this.nScale;
  }

  isSeen(start, end) {
    return end >= this.t0 && start <= this.t0 + this.along / this.tScale;
  }
}
