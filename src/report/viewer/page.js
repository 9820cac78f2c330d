// Controls, keys, pointer, tables; and what is said to those who do not see the diagram.

const find = (id) => document.getElementById(id);
const diagram = new Diagram(find("diagram"));
const status = find("status");

function say(lines) { status.textContent = lines.join(" · "); }

function showView(name) {
  const view = views.find((one) => one.name === name) || views[0];
  find(`view-${view.name}`).checked = true;
  const chosen = diagram.selected && diagram.selected.kind !== "local"
    ? diagram.selected.index : null;
  diagram.setView(view);
  showLegend(view);
  select(chosen === null ? null : barOf(chosen));
}

function showLegend(view) {
  const entries = [];
  const add = (words, fill, rim, mark = "") =>
    entries.push([words, `var(--${fill})`, `var(--${rim})`, mark]);
  const addEdge = ({words, colour, dash}) =>
    entries.push([words, "none", colour, dash.length === 0 ? "edge" : "edge dashed"]);
  if (view.graph) {
    add("message, labelled with its receiver", "light-blue", "blue");
    for (const bond of [...new Set(plan.needBond)].sort()) addEdge(plan.bonds[bond]);
  }
  if (view.sends) add("send, labelled with its receiver", "blue", "blue");
  if (view.receives) add("receive, labelled with its sender", "light-blue", "blue");
  if (view.sends && plan.local.length > 0) add("inside a node", "amber", "dark-amber");
  if (plan.path.length > 0 && diagram.critical)
    add("critical path, while all wait for it", "orange", "ink");
  if (view.flat && count > 0) add("message, from its first byte", "muted", "muted", "edge");
  if (lateBy.size > 0) add("misses its deadline", "purple", "purple", "late");
  if (!view.graph) add("idle", "paper", "rule", "idle");
  find("legend").replaceChildren(...entries.map(([words, fill, rim, mark]) => {
    const item = document.createElement("li");
    item.textContent = words;
    item.className = mark;
    item.style.setProperty("--fill", fill);
    item.style.setProperty("--rim", rim);
    return item;
  }));
}

function setCritical(shown) {
  diagram.critical = shown;
  find("critical").checked = shown;
  showLegend(diagram.view);
  diagram.redraw();
}

/// The node of that name, or else the only one whose name contains it.
function setFocus(text) {
  const wanted = text.trim().toLowerCase();
  let found = [];
  if (wanted) {
    const lower = plan.nodes.map((name) => name.toLowerCase());
    found = lower.flatMap((name, node) => (name === wanted ? [node] : []));
    if (found.length === 0)
      found = lower.flatMap((name, node) => (name.includes(wanted) ? [node] : []));
  }
  diagram.focus = found.length === 1 ? found[0] : null;
  find("search-note").textContent =
    !wanted || found.length === 1 ? "" : found.length === 0 ? "none" : `${found.length} match`;
  showMessages();
  diagram.redraw();
}

function table(head, rows) {
  const whole = document.createElement("table");
  const line = (cells, tag) => {
    const row = document.createElement("tr");
    cells.forEach((cell, column) => {
      const made = document.createElement(tag === "td" && column === 0 ? "th" : tag);
      if (tag === "th") made.scope = "col";
      else if (column === 0) made.scope = "row";
      made.textContent = cell;
      if (typeof cell === "string" && !/^[\d.]/.test(cell)) made.className = "text";
      row.append(made);
    });
    return row;
  };
  whole.createTHead().append(line(head, "th"));
  whole.createTBody().append(...rows.map((cells) => line(cells, "td")));
  return whole;
}

/// A table is made when it is opened: few are.
function fill(details, target, make) {
  details.addEventListener("toggle", () => {
    if (details.open && !find(target).hasChildNodes()) find(target).append(make());
  });
}

/// From time 0 to the makespan, with what nodes do inside themselves at either end.
function pathTable() {
  // A step that takes no time holds nobody up.
  const rows = plan.path.filter(({begins, ends, idle}) => ends > begins || idle > 0).map((step) => [
    plan.nodes[transfers.from[step.transfer]], plan.nodes[transfers.to[step.transfer]],
    formatTime(step.begins), formatTime(step.ends),
    (step.bond || "nothing") + (step.idle > 0 ? `; ${formatTime(step.idle)} unexplained` : "")]);
  const inside = (index, waits) => {
    const part = plan.local[index];
    const [begins, ends] = criticalSpan("local", index);
    return [plan.nodes[part.node], `inside${part.strategy ? ": " + part.strategy : ""}`,
            formatTime(begins), formatTime(ends), waits];
  };
  if (plan.localFirst !== undefined) rows.unshift(inside(plan.localFirst, "nothing"));
  if (plan.localLast !== undefined) rows.push(inside(plan.localLast, "its data"));
  return table(["step", "from", "to", "begins", "ends", "waits for"],
               rows.map((row, s) => [s + 1, ...row]));
}

function nodeTable() {
  const of = ({busy, until}) =>
    [formatTime(busy), formatTime(Math.max(0, until - busy)), formatTime(until)];
  return table(["node", "sends for", "idle", "until", "receives for", "idle", "until"],
               plan.nodes.map((name, n) => [name, ...of(loads.send[n]), ...of(loads.receive[n])]));
}

function showMessages() {
  const details = find("message-details");
  const focus = diagram.focus;
  details.hidden = focus === null;
  if (focus === null) return;
  const own = [];
  for (let t = 0; t < count; ++t)
    if (transfers.from[t] === focus || transfers.to[t] === focus) own.push(t);
  own.sort((a, b) => transfers.start[a] - transfers.start[b]);
  details.firstElementChild.textContent = `Messages of ${plan.nodes[focus]}`;
  find("messages").replaceChildren(table(
    ["from", "to", "start", "end", "remarks"],
    own.map((t) => [plan.nodes[transfers.from[t]], plan.nodes[transfers.to[t]],
                    formatTime(transfers.start[t]), formatTime(transfers.end[t]),
                    (stepOf[t] >= 0 ? "on the critical path " : "") +
                    (lateBy.has(t) ? `late by ${formatTime(lateBy.get(t))}` : "")])));
}

function select(bar) {
  diagram.select(bar);
  say(bar ? describe(bar) : []);
}

function barOf(transfer) {
  const {send, receive, message} = diagram.byTransfer;
  return send[transfer] || receive[transfer] || message[transfer] || null;
}

/// The message before or after the selected one in its column; or about as late in the next one.
function selectNext(along, across) {
  const columns = diagram.layout.columns;
  const current = diagram.selected;
  if (!current) {
    const start = diagram.focus !== null ? diagram.focus : columns.findIndex((c) => c.length > 0);
    if (start >= 0 && columns[start].length > 0) select(columns[start][0]);
    return;
  }
  if (along !== 0) {
    const column = columns[current.node];
    const next = column[column.indexOf(current) + along];
    if (next) select(next);
    return;
  }
  for (let node = current.node + across; node >= 0 && node < columns.length; node += across) {
    if (columns[node].length === 0) continue;
    const distance = (bar) => Math.abs(bar.start + bar.end - current.start - current.end);
    select(columns[node].reduce((best, bar) => (distance(bar) < distance(best) ? bar : best)));
    return;
  }
}

function selectOnPath(by) {
  if (plan.path.length === 0) return;
  const current = diagram.selected && diagram.selected.kind !== "local"
    ? stepOf[diagram.selected.index] : -1;
  const next = current < 0 ? (by > 0 ? 0 : plan.path.length - 1) : current + by;
  if (next >= 0 && next < plan.path.length) select(barOf(plan.path[next].transfer));
}

const arrows = {ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0]};

function onKey(event) {
  // Elsewhere keys belong to the control that has the focus.
  if (event.target !== find("diagram") && event.target !== document.body) return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const key = event.key;
  if (arrows[key]) {
    const [x, y] = arrows[key];
    if (event.shiftKey) diagram.pan(-60 * x, -60 * y);
    else if (diagram.view.flat) selectNext(x, y);
    else selectNext(y, x);
  } else if (key === "+" || key === "=") {
    diagram.zoom(1.3, 1.3);
  } else if (key === "-") {
    diagram.zoom(1 / 1.3, 1 / 1.3);
  } else if (key === "0" || key === "Home") {
    diagram.fit();
  } else if (key === "n" || key === "p") {
    selectOnPath(key === "n" ? 1 : -1);
  } else if (key === "c") {
    setCritical(!diagram.critical);
  } else if (key === "/") {
    find("search").focus();
  } else if (key === "Escape") {
    select(null);
  } else if (key >= "1" && key <= String(views.length)) {
    showView(views[Number(key) - 1].name);
  } else {
    return;
  }
  event.preventDefault();
}

function usePointer(canvas) {
  const tip = find("tip");
  let drag = null;
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const step = event.deltaMode === 1 ? 16 : 1;
    // With shift some browsers turn the wheel sideways.
    const factor = Math.exp(-(event.deltaY || event.deltaX) * step * 0.0015);
    diagram.zoom(event.altKey ? 1 : factor, event.shiftKey ? 1 : factor, event.offsetX,
                 event.offsetY);
  }, {passive: false});
  canvas.addEventListener("pointerdown", (event) => {
    drag = {x: event.offsetX, y: event.offsetY, moved: false};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (drag) {
      const [x, y] = [event.offsetX - drag.x, event.offsetY - drag.y];
      if (!drag.moved && Math.abs(x) + Math.abs(y) < 4) return;
      drag = {x: event.offsetX, y: event.offsetY, moved: true};
      canvas.classList.add("dragging");
      tip.hidden = true;
      diagram.pan(x, y);
      return;
    }
    const bar = diagram.pick(event.offsetX, event.offsetY);
    tip.hidden = !bar;
    if (!bar) return;
    tip.textContent = describe(bar).join("\n");
    const right = event.offsetX > diagram.width / 2;
    tip.style.left = right ? "auto" : `${event.offsetX + 14}px`;
    tip.style.right = right ? `${diagram.width - event.offsetX + 14}px` : "auto";
    const low = event.offsetY > diagram.height * 0.7;
    tip.style.top = low ? "auto" : `${event.offsetY + 14}px`;
    tip.style.bottom = low ? `${diagram.height - event.offsetY + 14}px` : "auto";
  });
  canvas.addEventListener("pointerup", (event) => {
    if (drag && !drag.moved) select(diagram.pick(event.offsetX, event.offsetY));
    drag = null;
    canvas.classList.remove("dragging");
  });
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
}

/// `#view=both&critical=off&node=NAME&select=TRANSFER&zoom=2` opens the page so.
function readAddress() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  if (wanted.has("view") || !diagram.view) showView(wanted.get("view") || plan.view);
  if (wanted.has("critical")) setCritical(wanted.get("critical") !== "off");
  if (wanted.has("node")) {
    find("search").value = wanted.get("node");
    setFocus(wanted.get("node"));
  }
  const zoom = Number(wanted.get("zoom"));
  if (zoom > 0) diagram.zoom(zoom, zoom);
  const bar = wanted.has("select") ? barOf(Number(wanted.get("select"))) : null;
  if (bar) select(bar);
}

function start() {
  find("views").append(...views.map((view, place) => {
    const label = document.createElement("label");
    const input = document.createElement("input");
    input.type = "radio";
    input.name = "view";
    input.id = `view-${view.name}`;
    input.addEventListener("change", () => showView(view.name));
    label.title = `${place + 1}`;
    label.append(input, ` ${view.title}`);
    return label;
  }));
  find("names").append(...plan.nodes.map((name) => {
    const option = document.createElement("option");
    option.value = name;
    return option;
  }));
  find("controls").addEventListener("submit", (event) => event.preventDefault());
  find("critical").addEventListener("change", (event) => setCritical(event.target.checked));
  find("search").addEventListener("input", (event) => setFocus(event.target.value));
  find("zoom-in").addEventListener("click", () => diagram.zoom(1.4, 1.4));
  find("zoom-out").addEventListener("click", () => diagram.zoom(1 / 1.4, 1 / 1.4));
  find("fit").addEventListener("click", () => diagram.fit());
  document.addEventListener("keydown", onKey);
  usePointer(find("diagram"));
  fill(find("path-details"), "path", pathTable);
  fill(find("node-details"), "nodes", nodeTable);
  readAddress();
  window.addEventListener("hashchange", readAddress);
  // Paper is white: what is printed is drawn before it is.
  for (const query of ["(prefers-color-scheme: dark)", "print"])
    matchMedia(query).addEventListener("change", () => {
      diagram.readColours();
      diagram.draw();
    });
  new ResizeObserver(() => {
    diagram.resize();
    diagram.redraw();
  }).observe(find("stage"));
  document.documentElement.dataset.ready = "true";
}

window.addEventListener("error", (event) => {
  document.documentElement.dataset.error = event.message;
  say([`The page has a fault: ${event.message}`]);
});
start();
