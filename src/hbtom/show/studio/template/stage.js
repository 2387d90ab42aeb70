// The stage: draws a trial at a frame, with handles on its path, and the selection.

const LATTICE = 20; // pixels of a cell
const HANDLE = 3; // radius of a handle, in pixels

/** Make the stage. `show(view, frame, chosen)` draws a trial, and marks the selection. */
function makeStage() {
  const svg = draw("svg", {
    class: "world stage",
    tabindex: 0,
    role: "application",
    "aria-label": "The scene. Arrow keys move the cross, the space bar uses the tool there.",
  });
  const cross = draw("path", { class: "cross", d: "M-5 0H5M0-5V5" });

  function show(view, frame, chosen) {
    const [width, height] = view.size;
    const at = Math.min(frame, view.frames - 1);
    const where = view.path[at];
    const keyAt = view.key?.path[at];
    set(svg, { viewBox: `0 0 ${width} ${height}` });
    svg.replaceChildren(
      lattice(width, height),
      homeOf(view),
      draw("path", { class: "path", d: view.draft ?? pathUntil(view.path, view.frames - 1) }),
      draw("path", { class: "walls", d: blocks(wallsAt(view, at)) }),
      draw("path", { class: "barrier", d: blocks(view.barrier), opacity: view.left[at] }),
      ...(view.lock?.there[at] ? [standing(view.lock)] : []),
      ...view.objects.flatMap((thing) => objectAt(thing, at)),
      ...view.others.flatMap((other) => otherAt(other, at)),
      ...(keyAt && keyAt[0] !== null ? [standing({ ...view.key, x: keyAt[0], y: keyAt[1] })] : []),
      ...(where[0] === null || view.there?.[at] === 0 ? [] : [agentAt(view, where)]),
      ...view.points.slice(1).map(([cx, cy]) => handle(cx, cy)),
      ...(chosen ? [halo(chosenPlace(view, chosen))] : []),
      cross,
    );
  }
  function pointAt(event) {
    const point = new DOMPoint(event.clientX, event.clientY);
    const { x, y } = point.matrixTransform(svg.getScreenCTM().inverse());
    const [width, height] = svg.getAttribute("viewBox").split(" ").slice(2).map(Number);
    return [clamp(Math.round(x), 0, width), clamp(Math.round(y), 0, height)];
  }
  const point = ([x, y]) => place(cross, { x, y });
  return { node: svg, show, pointAt, point };
}

const standing = (thing) => place(drawThing(thing), thing);
const agentAt = ({ agent }, [x, y]) => place(drawThing(agent, { class: "thing agent" }), { x, y });

/** Draw an object where it is in a frame; nothing if it is away. */
function objectAt(thing, at) {
  const [x, y] = placeOf(thing, at) ?? [null];
  return x === null ? [] : [standing({ ...thing, x, y })];
}

/** Draw another agent or a board where it is in a frame; nothing if it is away. */
function otherAt(other, at) {
  const [x, y, angle] = other.path[at];
  if (x === null) return [];
  const node = drawOther(other);
  turn(node, other.kind, [x, y], angle);
  return [node];
}

const handle = (cx, cy) => draw("circle", { class: "handle", cx, cy, r: HANDLE });

function homeOf({ points, agent }) {
  const [[x, y], side] = [points[0], agent.r + 1.5];
  return draw("rect", {
    class: "home",
    x: x - side,
    y: y - side,
    width: 2 * side,
    height: 2 * side,
    rx: 2,
  });
}

function lattice(width, height) {
  let d = "";
  for (let x = LATTICE; x < width; x += LATTICE) d += `M${x} 0V${height}`;
  for (let y = LATTICE; y < height; y += LATTICE) d += `M0 ${y}H${width}`;
  return draw("path", { class: "lattice", d });
}

const halo = ({ x, y, r }) => draw("circle", { class: "halo", cx: x, cy: y, r: r + 3 });

/** Return where something chosen is: an object, the key, the lock, or a point of the path. */
function chosenPlace(view, { what, index }) {
  if (what === "object") return view.objects[index];
  if (what !== "point") return view[what];
  const [x, y] = view.points[index];
  return { x, y, r: index ? HANDLE : view.agent.r };
}

const apart = ([ax, ay], [bx, by]) => Math.hypot(ax - bx, ay - by);

/** Return what is at a place: { what, index }; null if nothing is. */
function thingAt(view, where) {
  const near = view.points.findIndex(
    (point, index) => apart(point, where) <= (index ? HANDLE + 2 : view.agent.r + 1),
  );
  if (near >= 0) return { what: "point", index: near };
  const index = view.objects.findIndex(({ x, y, r }) => apart([x, y], where) <= r + 1);
  if (index >= 0) return { what: "object", index };
  const tool = ["key", "lock"].find((name) => {
    const thing = view[name];
    return thing && apart([thing.x, thing.y], where) <= thing.r + 1;
  });
  return tool ? { what: tool } : null;
}

/** Return the index before which a new point of the path belongs, if a place is on the path. */
function bendAt({ points }, where) {
  for (let index = 1; index < points.length; index++) {
    const [[ax, ay], [bx, by]] = [points[index - 1], points[index]];
    const length = (bx - ax) ** 2 + (by - ay) ** 2 || 1;
    const along = ((where[0] - ax) * (bx - ax) + (where[1] - ay) * (by - ay)) / length;
    const share = clamp(along, 0, 1);
    if (apart([ax + share * (bx - ax), ay + share * (by - ay)], where) <= 3) return index;
  }
  return null;
}
