// Company: other agents, boards, moving things, the camera, and what the agent sees.

const SMALL_STEP = 0.01; // pixels; a smaller motion does not count

/** Draw another agent or a board (occluder, door or paddle) around the origin. */
function drawOther(other) {
  const { kind, name, width, height, rgb } = other;
  const what = kind === "agent" ? `${name}, another agent` : name;
  const title = draw("title", {}, what);
  if (kind === "agent") {
    const node = drawThing({ ...other, r: width / 2 }, { class: "thing other" });
    node.append(title);
    return node;
  }
  const box = { x: -width / 2, y: -height / 2, width, height, fill: `rgb(${rgb.join(" ")})` };
  return draw("g", { class: `board ${kind}` }, draw("rect", box), title);
}

/** Move another thing to its position; pictures of agents stay upright. */
function turn(node, kind, [x, y], angle) {
  const rotate = kind === "agent" ? "" : ` rotate(${round(angle)})`;
  node.setAttribute("transform", `translate(${round(x)} ${round(y)})${rotate}`);
}

/** Draw another thing where it is at the end, or where it was last. */
function otherAtEnd(other) {
  const node = drawOther(other);
  const last = other.path.findLast(([x]) => x !== null);
  if (last) turn(node, other.kind, last, last[2]);
  node.classList.toggle("gone", !last); // it is never present
  node.classList.toggle("left", other.path.at(-1)[0] === null);
  return node;
}

// Where things are

function moveOthers(nodes, trial, at) {
  trial.others.forEach(({ path, kind }, index) => {
    const where = placeAt(path, at);
    nodes[index].classList.toggle("gone", where === null);
    if (where) turn(nodes[index], kind, where, path[Math.floor(at)][2]);
  });
}

/** Move a thing, the ring around it, and its label to its place; it may be away. */
function follow({ path, x, y }, bodies, label, at) {
  const where = placeAt(path, at);
  for (const node of [...bodies, label]) node.classList.toggle("gone", where === null);
  if (!where) return;
  for (const node of bodies) place(node, { x: where[0], y: where[1] });
  set(label, { transform: `translate(${round(where[0] - x)} ${round(where[1] - y)})` });
}

/** Draw all others where they are at the end. */
const othersAtEnd = (trial) => trial.others.map(otherAtEnd);

/** Return an object where it is at the end; null if it is away. */
function objectAtEnd(thing) {
  const [x, y] = placeOf(thing, thing.path ? thing.path.length - 1 : 0) ?? [null];
  return x === null ? null : { ...thing, x, y };
}

/** Return the walls that stand in a frame. */
const wallsAt = ({ walls, standing }, frame) =>
  standing ? walls.filter((_, index) => standing[frame][index]) : walls;

/** Return the other agents that the agent may want, where they are first seen. */
const wantedOthers = (trial) =>
  trial.others
    .filter(({ item }) => item !== undefined)
    .map((other) => {
      const [x, y] = other.path.find(([x]) => x !== null);
      return { ...other, x, y, r: other.width / 2 };
    });

/**
 * Draw everything that company adds to a scene, given the nodes of the objects and of the goals.
 * Return the nodes of the others, and the nodes below and above all of these.
 */
function layCompany(film, trial, { objects, wanted, rings, labels }) {
  const others = trial.others.map(drawOther);
  const trails = layTrails(trial);
  const sight = laySight(trial, [...objects, ...others]);
  const ghosts = layGhosts(film, trial);
  const attitudes = layAttitudes(trial);
  const camera = drawCamera(trial);
  const followers = wanted
    .map((thing, index) => ({ thing, ring: rings[index].node, label: labels[index] }))
    .filter(({ thing }) => thing.path && thing !== trial.key);
  let standing = null;
  function show(scene, at) {
    const frame = Math.floor(at);
    moveOthers(others, trial, at);
    for (const { thing, ring, label } of followers) {
      const body = objects[trial.objects.indexOf(thing)];
      follow(thing, body ? [ring, body] : [ring], label, at);
    }
    if (trial.standing && trial.standing[frame] !== standing) {
      standing = trial.standing[frame];
      set(scene.walls, { d: blocks(wallsAt(trial, frame)) });
    }
    scene.agent.classList.toggle("gone", trial.there?.[frame] === 0);
    scene.agent.classList.toggle("hidden", trial.viewed?.[frame] === 0);
    trails.show(frame);
    sight.show(at);
    ghosts.show(at);
    attitudes.show(at, stepAt(trial, frame));
  }
  return {
    others,
    below: [...trails.nodes, ...(camera ? [camera] : []), ...sight.nodes],
    above: [...ghosts.nodes, ...attitudes.nodes],
    show,
  };
}

// Traces of motion: the paths of others, and of objects that are moved

function layTrails(trial) {
  const moving = [...trial.others.filter(({ kind }) => kind === "agent"), ...trial.objects];
  const trails = moving.filter(isMoving).map(({ path, rgb }) => {
    const node = draw("path", { class: "trail", stroke: `rgb(${rgb.join(" ")})` });
    return { path, node };
  });
  return {
    nodes: trails.map(({ node }) => node),
    show: (frame) => trails.forEach(({ path, node }) => set(node, { d: pathUntil(path, frame) })),
  };
}

function isMoving({ path }) {
  const places = path ? path.filter(([x]) => x !== null) : [];
  const far = ([x, y]) => Math.hypot(x - places[0][0], y - places[0][1]) > SMALL_STEP;
  return places.some(far);
}

// What the agent sees

/** Return whether there is a frame in which the agent does not see something. */
const hasSight = (trial) => [...trial.objects, ...trial.others].some(({ seen }) => seen);

const placeOf = (thing, at) => (thing.path ? placeAt(thing.path, at) : [thing.x, thing.y]);

/**
 * Draw a line from the agent to everything it sees, and make the rest pale. `nodes` are those of
 * the objects, and then of the others.
 */
function laySight(trial, nodes) {
  if (!hasSight(trial)) return { nodes: [], show: () => {} };
  const things = [...trial.objects, ...trial.others];
  const lines = things.map(({ kind }) =>
    kind === undefined || kind === "agent" ? draw("line", { class: "sight" }) : null,
  );
  function show(at) {
    const frame = Math.floor(at);
    const [x1, y1] = placeAt(trial.path, at);
    const isThere = trial.there?.[frame] !== 0;
    things.forEach((thing, index) => {
      if (!lines[index]) return;
      const where = placeOf(thing, at);
      const isSeen = where !== null && isThere && thing.seen?.[frame] !== 0;
      lines[index].classList.toggle("gone", !isSeen);
      nodes[index].classList.toggle("unseen", !isSeen);
      if (isSeen) set(lines[index], { x1, y1, x2: round(where[0]), y2: round(where[1]) });
    });
  }
  return { nodes: lines.filter(Boolean), show };
}

// The camera: the observer stands at the edge, if not farther away

const CAMERA_INSET = 9;

function drawCamera(trial) {
  if (!trial.camera) return null;
  const [width, height] = trial.size;
  const [x, y] = trial.camera;
  const at = {
    x: clamp(x, CAMERA_INSET, width - CAMERA_INSET),
    y: clamp(y, CAMERA_INSET, height - CAMERA_INSET),
  };
  const towards = (Math.atan2(height / 2 - at.y, width / 2 - at.x) * 180) / Math.PI;
  const body = draw("path", { d: "M-6-3.6H2V-1L6-3.4V3.4L2 1V3.6H-6Z" });
  const turned = draw("g", { transform: `rotate(${round(towards)})` }, body);
  return place(draw("g", { class: "camera" }, turned, draw("title", {}, "the observer")), at);
}
