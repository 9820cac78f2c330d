// What stands around the rectangles of a view, and between them: names, times, marks, messages.

Object.assign(Diagram.prototype, {
  /// Lines between nodes of different groups.
  drawGroups() {
    const context = this.context;
    context.strokeStyle = colours.muted;
    context.lineWidth = 0.8;
    for (const {first} of groups.slice(1)) {
      const at = this.across_of(first);
      context.beginPath();
      if (this.view.flat) {
        context.moveTo(this.left, at);
        context.lineTo(this.right, at);
      } else {
        context.moveTo(at, this.top);
        context.lineTo(at, this.height);
      }
      context.stroke();
    }
  },

  /// From sends to receives, where they are few enough to be told apart.
  drawMessages(shown) {
    const sends = shown.filter((bar) => bar.kind === "send");
    document.documentElement.dataset.messages = sends.length > mostMessages ? "hidden" : "shown";
    if (sends.length > mostMessages) return;
    const context = this.context;
    context.strokeStyle = context.fillStyle = colours.muted;
    context.lineWidth = 1;
    for (const send of sends) {
      const receive = this.byTransfer.receive[send.index];
      context.globalAlpha = 0.7 * this.fade(send);
      const down = receive.node > send.node;
      const x1 = this.along_of(send.start);
      const y1 = this.across_of(send.node + (down ? send.to : send.from));
      const x2 = this.along_of(receive.start);
      const y2 = this.across_of(receive.node + (down ? receive.from : receive.to));
      const length = Math.hypot(x2 - x1, y2 - y1) || 1;
      const [dx, dy] = [5 * (x2 - x1) / length, 5 * (y2 - y1) / length];
      context.beginPath();
      context.moveTo(x1, y1);
      context.lineTo(x2, y2);
      context.stroke();
      context.beginPath();
      context.moveTo(x2, y2);
      context.lineTo(x2 - dx + dy / 2, y2 - dy - dx / 2);
      context.lineTo(x2 - dx - dy / 2, y2 - dy + dx / 2);
      context.fill();
    }
    context.globalAlpha = 1;
  },

  /// What they say stands beside the plot, of columns at the right, and otherwise on top.
  drawMarkers() {
    const context = this.context;
    const seen = markers.filter(({at}) => this.isSeen(at, at));
    const lines = seen.map(({at, colour, dash}) => this.lineAt(at, colours[colour], 1.6, dash));
    context.font = font(markerSize, "bold");
    context.textBaseline = "middle";
    let lowest = this.height - 8;
    seen.forEach(({words, colour}, place) => {
      context.fillStyle = colours[colour];
      if (this.view.flat) {
        const fits = lines[place] - context.measureText(words).width > 6;
        context.textAlign = fits ? "right" : "left";
        context.fillText(words, lines[place] + (fits ? -3 : 3), 11 + place * markerRow);
        return;
      }
      // The second, which is no later, keeps clear of the first.
      const highest = this.top + 8 + (seen.length - 1 - place) * markerRow;
      const y = Math.min(Math.max(lines[place], highest), lowest);
      lowest = y - markerRow;
      context.textAlign = "left";
      context.fillText(words, this.right + 8, y);
    });
  },

  drawNames(first, last) {
    const context = this.context;
    context.font = font(labelSize);
    context.textBaseline = "middle";
    const every = Math.max(1, Math.ceil(13 / this.nScale));
    // Where not all names fit, those of groups do, and nodes' come up as the reader goes closer.
    const byGroup = this.view.flat && every > 1 && groups.length > 1;
    if (byGroup) this.drawGroupNames();
    for (let node = first; node < last; ++node) {
      if (byGroup && node !== this.focus) continue;
      const chosen = node === this.focus;
      if (node % every !== 0 && !chosen) continue;
      const at = this.across_of(node + 0.5);
      if (at < (this.view.flat ? this.top : this.left) || at > this.right && !this.view.flat) continue;
      context.fillStyle = chosen ? colours.orange : colours.ink;
      context.font = font(labelSize, chosen ? "bold" : "");
      let name = plan.nodes[node];
      if (this.numbered && !counted) name = `${node} · ${name}`;
      const room = this.view.flat ? this.left - 10 : this.turned ? this.top - 10 : this.nScale;
      for (let half = name.length / 2; half > 1 && this.textWidth(name) > room; half *= 0.9) {
        const whole = plan.nodes[node];
        name = `${this.numbered && !counted ? `${node} · ` : ""}${whole.slice(0, half)}…${whole.slice(-half)}`;
      }
      if (this.view.flat) {
        context.textAlign = "right";
        context.fillText(name, this.left - 6, at);
      } else if (this.turned) {
        context.save();
        context.translate(at, this.top - 6);
        context.rotate(-Math.PI / 2);
        context.textAlign = "left";
        context.fillText(name, 0, 0);
        context.restore();
      } else {
        context.textAlign = "center";
        context.fillText(name, at, this.top - 10);
      }
    }
  },

  /// Each in the middle of what of the group is in sight.
  drawGroupNames() {
    const context = this.context;
    context.fillStyle = colours.ink;
    context.font = font(labelSize, "bold");
    context.textAlign = "right";
    let lowest = -Infinity;
    for (const {name, nodes, first} of groups) {
      const top = Math.max(this.across_of(first), this.top);
      const bottom = Math.min(this.across_of(first + nodes), this.height);
      const at = Math.max((top + bottom) / 2, lowest + 12);
      if (bottom <= top || at > this.height) continue;
      context.fillText(name, this.left - 6, at);
      lowest = at;
    }
  },

  drawTimes() {
    const context = this.context;
    const marks = this.shownTicks();
    const step = marks.length > 1 ? marks[1] - marks[0] : this.layout.last;
    const last = marks.length > 0 ? marks[marks.length - 1] : 0;
    const units = [["s", 1], ["ms", 1e-3], ["us", 1e-6], ["ns", 1e-9]];
    const [name, unit] = plan.unit ? [plan.unit, 1]
      : units.find(([, least]) => last >= least) || units[3];
    const digits = Math.min(9, Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9)));
    context.font = font(labelSize);
    context.fillStyle = colours.muted;
    for (const tick of marks) {
      const text = `${(tick / unit).toFixed(digits)} ${name}`;
      const at = this.along_of(tick);
      context.textBaseline = "middle";
      context.textAlign = this.view.flat ? "center" : "right";
      const most = this.width - context.measureText(text).width / 2;
      if (this.view.flat) context.fillText(text, Math.min(at, most), this.top - 11);
      else context.fillText(text, this.left - 6, Math.max(at, this.top + 5));
    }
  },
});
