// The world of a plan: fixed boxes, tokens that move, and the actions in a list.

const TOKEN_LETTER = 0.6; // the width of a letter, as a share of its height
const TOKEN_LETTERS = [6.5, 12.5]; // least and largest height of letters
const ROW_NAME = 112; // pixels for the name of a row

const openWorld = ({ board, frames }) => ({
  board: board && {
    ...board,
    tokens: board.tokens.map((one) => ({ ...one, path: spread(one.path, frames) })),
  },
});
const isPause = () => false;
const hasSight = () => false;
const hasMind = () => false;

/** Make the world of a film. `show(trial, at)` draws a plan at a time given in steps. */
function makeWorld(film) {
  const svg = draw("svg", { class: "world plan-world", role: "img" });
  const unknown = make("p", { class: "unknown" });
  unknown.append("Some actions were not seen, so the states of the world are unknown.");
  const node = make("div", {}, svg, unknown);
  let trial = null;
  let tokens = [];
  let trail = null;

  function lay() {
    svg.classList.toggle("hidden", !trial.board);
    unknown.hidden = trial.board !== null;
    if (!trial.board) return;
    const [width, height] = trial.board.size;
    set(svg, { viewBox: `-4 -4 ${width + 8} ${height + 8}` });
    tokens = trial.board.tokens.map((token) => ({ token, node: drawToken(film, token) }));
    trail = draw("path", { class: "path" });
    const moving = tokens.map((one) => one.node);
    svg.replaceChildren(...drawFloor(film, trial.board), trail, ...moving);
  }
  function show(now, at) {
    if (now !== trial) {
      trial = now;
      lay();
    }
    if (!trial.board) return;
    const frame = Math.min(Math.floor(at), trial.frames - 1);
    for (const { token, node } of tokens) {
      const spot = spotAt(token.path, at);
      node.classList.toggle("gone", spot === null);
      if (spot) node.setAttribute("transform", `translate(${round(spot[0])} ${round(spot[1])})`);
    }
    const agent = trial.board.tokens.find(({ kind }) => kind === "agent");
    if (agent) trail.setAttribute("d", trailUntil(agent.path, frame, at));
    const told = frame ? `after ${trial.actions[frame - 1]}` : "before the first action";
    set(svg, { "aria-label": `${trial.name}, step ${frame}, ${told}` });
  }
  return { node, show, showSight: () => {} };
}

/** Return where a token is at a time between steps; null if it is not shown. */
function spotAt(path, at) {
  const frame = Math.min(Math.floor(at), path.length - 1);
  const [here, next] = [path[frame], path[Math.min(frame + 1, path.length - 1)]];
  if (!here.length) return null;
  const share = next.length ? at - frame : 0;
  const eased = share < 1 ? share * share * (3 - 2 * share) : 0;
  return here.map((value, axis) => value + eased * ((next[axis] ?? value) - value));
}

function trailUntil(path, frame, at) {
  const spots = [...path.slice(0, frame + 1), spotAt(path, at)].filter((spot) => spot?.length);
  return spots.length ? `M${spots.map((spot) => spot.map(round).join(" ")).join("L")}` : "";
}

/** Draw everything that does not move: walls, places with names, and ways between them. */
function drawFloor(film, { panels, links, walls }) {
  const cells = panels.filter(([, kind]) => kind === "cell");
  const line = ([x1, y1, x2, y2], kind) => draw("line", { class: kind, x1, y1, x2, y2 });
  return [
    ...(cells.length ? [drawGround(cells)] : []),
    ...links.map((one) => line(one, "way")),
    ...panels.map((panel) => drawPanel(film, panel)),
    ...walls.map((one) => line(one, "wall")),
  ];
}

/** Draw the surroundings of a grid's cells. */
function drawGround(cells) {
  const side = (axis) => cells.flatMap((cell) => [cell[axis], cell[axis] + cell[axis + 2]]);
  const [[left, right], [top, bottom]] = [2, 3].map((axis) => {
    return [Math.min(...side(axis)), Math.max(...side(axis))];
  });
  const where = { x: left - 3, y: top - 3, width: right - left + 6, height: bottom - top + 6 };
  return draw("rect", { class: "ground", rx: 4, ...where });
}

function drawPanel(film, [name, kind, x, y, width, height, item]) {
  const tone = item === null ? "" : ` wanted ${toneOf(film, item)}`;
  const box = draw("rect", { x, y, width, height, rx: kind === "cell" ? 0 : 4 });
  const row = kind === "row";
  const size = row ? 12 : kind === "cell" ? 8 : 11;
  const at = row ? { x: x + 8, y: y + 20 } : { x: x + 4, y: y + size + 2 };
  const room = row ? ROW_NAME - 12 : width - 8;
  const told = fitted(name, room, size)[0];
  const text = draw("text", { "font-size": size, ...at }, kind !== "cell" || told === name ? told : "");
  const top = { class: "top", x1: x, x2: x + width, y1: y + height, y2: y + height };
  const node = draw("g", { class: `panel ${kind}${tone}` }, box, text, draw("title", {}, name));
  if (kind === "table") node.append(draw("line", top));
  return node;
}

function drawToken(film, { name, kind, size: [width, height], item }) {
  const tone = item === null ? "" : ` wanted ${toneOf(film, item)}`;
  const where = { x: -width / 2, y: -height / 2, width, height };
  const rx = kind === "agent" ? height / 2 : 4;
  const box = draw("rect", { ...where, rx });
  const [text, letters] = fitted(kind === "agent" ? "" : name, width - 4, height * 0.6);
  const label = draw("text", { "font-size": letters, y: round(letters * 0.35) }, text);
  const node = draw("g", { class: `token ${kind}${tone}` }, box, label, draw("title", {}, name));
  if (kind === "agent") node.append(...drawFace(height / 2));
  return node;
}

/** Draw the eyes of an agent, so that it is not mistaken for a thing. */
function drawFace(radius) {
  return [-1, 1].map((side) =>
    draw("circle", { class: "eye", cx: 0.36 * side * radius, cy: -0.15 * radius, r: 0.16 * radius }),
  );
}

/** Return a text that fits into the room, and the height of its letters. */
function fitted(text, room, height) {
  const [least, most] = TOKEN_LETTERS;
  const wanted = Math.min(height, most);
  const letters = clamp(room / (TOKEN_LETTER * Math.max(text.length, 1)), least, wanted);
  const many = Math.max(1, Math.floor(room / (TOKEN_LETTER * letters)));
  return [text.length > many ? `${text.slice(0, Math.max(many - 1, 1))}…` : text, round(letters)];
}

/** Draw a dot in the colour of a goal, or the agent, as small as a letter. */
function icon({ tone }) {
  const view = { class: "icon", viewBox: "-11 -11 22 22", "aria-hidden": "true" };
  return draw("svg", view, draw("circle", { r: 8, class: tone === undefined ? "agent" : `item-${tone} dot` }));
}

/** Draw a small picture of how a plan ends. */
function thumbnail({ board, frames }) {
  const [width, height] = board?.size ?? [1, 1];
  const view = { class: "thumbnail plan-world", viewBox: `-4 -4 ${width + 8} ${height + 8}` };
  const boxes = (board?.panels ?? []).map(([, kind, x, y, wide, high]) =>
    draw("g", { class: `panel ${kind}` }, draw("rect", { x, y, width: wide, height: high })),
  );
  const tokens = (board?.tokens ?? []).map(({ kind, size: [wide, high], path }) => {
    const [x, y] = path[frames - 1];
    const where = { x: x - wide / 2, y: y - high / 2, width: wide, height: high };
    return x === undefined ? null : draw("g", { class: `token ${kind}` }, draw("rect", where));
  });
  const cells = (board?.panels ?? []).filter(([, kind]) => kind === "cell");
  const ground = cells.length ? drawGround(cells) : null;
  return draw("svg", { ...view, "aria-hidden": "true" }, ground, boxes, tokens);
}

/** Make the list of actions, which is below the scene: the current one is marked. */
function makeCaption(film) {
  const list = make("ol", { class: "actions", "aria-label": "Actions" });
  const changed = make("p", { class: "changed", "aria-label": "What the action changed" });
  const node = make("div", { class: "doing" }, list, changed);
  let trial = null;
  let buttons = [];

  function lay() {
    buttons = trial.actions.map((action, index) => {
      const onclick = () => player.scrub(player.state.slot, index + 1);
      const number = make("span", { class: "frame" }, String(index + 1));
      return make("button", { type: "button", onclick }, number, make("code", {}, action));
    });
    list.replaceChildren(...buttons.map((button) => make("li", {}, button)));
  }
  function show(now, frame) {
    if (now !== trial) {
      trial = now;
      lay();
    }
    buttons.forEach((button, index) => {
      mark(button, index + 1 === frame);
      button.classList.toggle("done", index + 1 <= frame);
    });
    const current = buttons[frame - 1] ?? buttons[0];
    if (current) list.scrollTop = current.offsetTop - list.offsetTop - list.clientHeight / 2 + 12;
    showChanges(changed, trial.changes[frame - 1]);
  }
  return { node, show, toggle: () => {} };
}

/** Write which facts an action has made true, and which false. */
function showChanges(node, changes) {
  const [now, no] = changes ?? [[], []];
  node.replaceChildren(
    ...now.map((fact) => make("code", { class: "now" }, `+ ${fact}`)),
    ...no.map((fact) => make("code", { class: "no" }, `− ${fact}`)),
  );
}
