// The scene, as the benchmark shows it: walls, barrier, things, and the agent with its path.

const RING_GAP = 4.5; // pixels between a thing and the ring around it
const RING_WIDTH = 2.4;
const LONGEST_LINE = 16; // letters of a label
const LABEL_LINE = 7.5; // pixels from line to line

/** Make the world of a film. `show(trial, at)` draws a trial at a time given in frames. */
function makeWorld(film) {
  const svg = draw("svg", { class: "world", role: "img", preserveAspectRatio: "xMidYMid meet" });
  let trial = null;
  let scene = null;

  function show(now, at) {
    if (now !== trial) {
      trial = now;
      scene = layScene(svg, film, trial);
    }
    const frame = Math.floor(at);
    moveAgent(scene, trial, at);
    moveKey(scene, trial, at);
    scene.company.show(scene, at);
    openBarrier(scene, trial, frame);
    fillRings(scene, trial, stepAt(trial, frame));
  }
  const showSight = (on) => svg.classList.toggle("blind", !on);
  return { node: svg, show, showSight };
}

/** Draw everything that does not move in a trial, and return the parts that will. */
function layScene(svg, film, trial) {
  const [width, height] = trial.size;
  const { lock, key } = trial;
  const wanted = wantedThings(trial);
  const rings = wanted.map((thing) => ring(film, thing));
  const labels = wanted.map((thing) => label(labelOf(film, thing), thing, trial.size));
  const isWanted = key !== null && key.item !== null; // then it is the last item
  const objects = trial.objects.map((thing) => place(drawThing(thing), thing));
  const scene = {
    rings,
    barrier: draw("path", { class: "barrier", d: blocks(trial.barrier) }),
    path: draw("path", { class: "path" }),
    steps: stepMarks(trial),
    walls: draw("path", { class: "walls", d: blocks(trial.walls) }),
    lock: lock ? [place(drawThing(lock), lock), label("lock", lock, trial.size)] : [],
    key: key && drawThing(key),
    aroundKey: isWanted ? [rings.at(-1).node, labels.at(-1)] : [],
    agent: drawThing(trial.agent, { class: "thing agent" }),
    company: layCompany(film, trial, { objects, wanted, rings, labels }),
  };
  set(svg, { viewBox: `0 0 ${width} ${height}`, "aria-label": describe(film, trial) });
  svg.replaceChildren(
    edge(trial),
    home(trial),
    scene.path,
    ...scene.steps.map((step) => step.node),
    scene.walls,
    scene.barrier,
    ...scene.company.below,
    ...scene.lock,
    ...rings.map((one) => one.node),
    ...objects,
    ...scene.company.others,
    ...labels,
    ...(key ? [scene.key] : []),
    ...scene.company.above,
    scene.agent,
  );
  return scene;
}

/** Return the things with a ring: objects, other agents and the key, if they can be wanted. */
function wantedThings(trial) {
  const key = trial.key && trial.key.item !== null ? [trial.key] : [];
  return [...trial.objects.filter(({ item }) => item !== null), ...wantedOthers(trial), ...key];
}

function describe(film, trial) {
  const things = wantedThings(trial)
    .filter(({ kind }) => kind !== "agent")
    .map((thing) => film.items[thing.item].name)
    .join(", ");
  const kind = trial.isTest ? "test trial" : "familiarization trial";
  const others = trial.others.map(({ name }) => name).join(", ");
  const among = [things && `among ${things}`, others && `beside ${others}`].filter(Boolean);
  const who = [trial.agent.name, ...among].join(" ");
  return `Trial ${trial.number}, ${kind}: ${who}. ${trial.summary}`;
}

function blocks(rows) {
  return rows.map(([x, y, width, height]) => box(x, y, width, height)).join("");
}

function place(node, { x, y }) {
  node.setAttribute("transform", `translate(${round(x)} ${round(y)})`);
  return node;
}

function home(trial) {
  const [x, y] = trial.path[0];
  const r = trial.agent.r + 1.5;
  const square = { class: "home", x: x - r, y: y - r, width: 2 * r, height: 2 * r, rx: 2 };
  return draw("rect", square);
}

function ring(film, thing) {
  const r = thing.r + RING_GAP;
  const around = 2 * Math.PI * r;
  const arc = draw("circle", { class: "arc", r, "stroke-width": RING_WIDTH });
  const track = draw("circle", { class: "track", r, "stroke-width": RING_WIDTH });
  const node = place(draw("g", { class: `ring ${toneOf(film, thing.item)}` }, track, arc), thing);
  return { node, arc, item: thing.item, around };
}

function label(name, thing, [width, height]) {
  const away = thing.r + 9 + (thing.item === undefined ? 0 : RING_GAP);
  const below = thing.y + away < height - 8;
  const anchor = thing.x < 45 ? "start" : thing.x > width - 45 ? "end" : "middle";
  const shift = { start: -thing.r, end: thing.r, middle: 0 }[anchor];
  const at = { x: round(thing.x + shift), y: round(thing.y + (below ? away : 4 - away)) };
  return draw("text", { class: "label", ...at, "text-anchor": anchor }, inLines(name, at, below));
}

/** Return the name of a thing; blobs show their number, which is enough for other agents. */
const labelOf = (film, { item, shape, kind }) =>
  kind === "agent" && /^blob_\d+$/.test(shape) ? "" : film.items[item].name;

/** Return a long name as two lines, the second below the first, or both above their place. */
function inLines(name, { x }, below) {
  const middle = name.length / 2;
  const spaces = [...name.matchAll(/ /g)].map(({ index }) => index);
  if (name.length <= LONGEST_LINE || !spaces.length) return name;
  const at = spaces.reduce((a, b) => (Math.abs(a - middle) < Math.abs(b - middle) ? a : b));
  return [
    draw("tspan", { x, dy: below ? 0 : -LABEL_LINE }, name.slice(0, at + 1)),
    draw("tspan", { x, dy: LABEL_LINE }, name.slice(at + 1)),
  ];
}

/** Mark where each step of the agent ends. */
function stepMarks(trial) {
  const peaks = trial.moments.filter((moment) => moment.kind === "peak").map(({ frame }) => frame);
  return trial.beliefs.frame.slice(1).map((frame) => {
    const [cx, cy] = trial.path[frame];
    const peak = peaks.includes(frame);
    const look = peak ? { class: "step peak", r: 2.6 } : { class: "step", r: 1.5 };
    return { frame, node: draw("circle", { ...look, cx, cy }) };
  });
}

function moveAgent(scene, trial, at) {
  const frame = Math.floor(at);
  const [x, y] = placeAt(trial.path, at);
  place(scene.agent, { x, y });
  scene.path.setAttribute("d", `${pathUntil(trial.path, frame)}L${round(x)} ${round(y)}`);
  for (const step of scene.steps) step.node.classList.toggle("done", step.frame <= frame);
}

/** Return a path up to a frame as a line, with gaps where something jumps or is away. */
function pathUntil(path, frame) {
  let line = "";
  let last = null;
  for (const here of path.slice(0, frame + 1)) {
    if (here[0] === null) last = null;
    if (here[0] === null || (last && here[0] === last[0] && here[1] === last[1])) continue;
    const jump = !last || Math.hypot(here[0] - last[0], here[1] - last[1]) > LONGEST_STRIDE;
    line += `${jump ? "M" : "L"}${here[0]} ${here[1]}`;
    last = here;
  }
  return line;
}

function moveKey(scene, trial, at) {
  if (!scene.key) return;
  const where = placeAt(trial.key.path, at);
  scene.key.classList.toggle("gone", where === null);
  if (where) place(scene.key, { x: where[0], y: where[1] });
  const carried = !where || where[0] !== trial.key.x || where[1] !== trial.key.y;
  for (const part of scene.aroundKey) part.classList.toggle("gone", carried);
}

function openBarrier(scene, trial, frame) {
  if (trial.left.length) set(scene.barrier, { opacity: trial.left[frame] });
  for (const part of scene.lock) part.classList.toggle("gone", !trial.lock.there[frame]);
}

function fillRings(scene, trial, step) {
  const { goals, goal } = trial.beliefs;
  for (const { arc, item, around } of scene.rings) {
    const share = goal[step][goals.indexOf(item)];
    set(arc, { "stroke-dasharray": `${round(share * around)} ${round(around)}` });
  }
}

/** Draw a thing as small as a letter, for use in text. */
function icon(thing) {
  const view = { class: "icon", viewBox: "-11 -11 22 22", "aria-hidden": "true" };
  return draw("svg", view, drawThing({ ...thing, r: 10 }));
}

/** Draw the edge of the world, which is hard to see where there are no walls. */
const edge = ({ size: [width, height] }) => draw("rect", { class: "edge", width, height });

/** Draw a small picture of a trial: the scene and the whole path. */
function thumbnail(trial) {
  const [width, height] = trial.size;
  return draw(
    "svg",
    { class: "thumbnail", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
    edge(trial),
    draw("path", { class: "walls", d: blocks(wallsAt(trial, trial.frames - 1)) }),
    draw("path", { class: "barrier", d: blocks(trial.barrier) }),
    [trial.lock, ...trial.objects.map(objectAtEnd), trial.key]
      .filter(Boolean)
      .map((thing) => place(drawThing({ ...thing, r: thing.r * 1.35 }), thing)),
    othersAtEnd(trial),
    draw("path", { class: "path", d: pathUntil(trial.path, trial.frames - 1) }),
    draw("circle", { class: "start", cx: trial.path[0][0], cy: trial.path[0][1], r: 6 }),
  );
}
