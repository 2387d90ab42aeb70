// What each tool does when the pointer goes down, moves and goes up.

const CLOSE = 4; // pixels between two points of a hand-drawn path
const line = (points) => `M${points.map((point) => point.join(" ")).join("L")}`;
const cellOf = (where) => where.map((value) => Math.floor(value / LATTICE) * LATTICE);
const covers = ([x, y, width, height], [cx, cy]) =>
  x <= cx + 10 && cx + 10 <= x + width && y <= cy + 10 && cy + 10 <= y + height;

/** Build or remove cells of walls or of the barrier: if the first cell is empty, build. */
function cellTool(field, part) {
  return (view, where, { preview, edit }) => {
    const cells = new Map();
    const there = !view[part].some((block) => covers(block, cellOf(where)));
    function move(place) {
      const cell = cellOf(place);
      if (cell.some((start, axis) => start >= view.size[axis])) return;
      cells.set(cell.join(), cell);
      const others = view[part].filter((block) => ![...cells.values()].some((c) => covers(block, c)));
      const built = there ? [...cells.values()].map((c) => [...c, LATTICE, LATTICE]) : [];
      preview({ ...view, [part]: [...others, ...built], left: view.left.map(() => 1) });
    }
    move(where);
    const end = () => edit({ type: "cells", field, cells: [...cells.values()], there });
    return { move, end };
  };
}

/** Put something where the pointer goes up. */
function putTool(change) {
  return (view, where, { edit, look }) => {
    let at = where;
    return { move: (place) => (at = place), end: () => edit({ type: "put", at, ...change(look()) }) };
  };
}

const TOOLS = {
  select: { key: "v", name: "Select and move", begin: selectAt },
  wall: { key: "w", name: "Wall", begin: cellTool("walls", "walls") },
  object: {
    key: "o",
    name: "Object",
    begin: putTool(({ image, colour }) => ({ what: "object", image, colour })),
  },
  path: { key: "p", name: "Path", begin: drawPath },
  key: { key: "k", name: "Key", begin: putTool(() => ({ what: "key" })) },
  lock: { key: "l", name: "Lock", begin: putTool(() => ({ what: "lock" })) },
  barrier: { key: "b", name: "Barrier", begin: cellTool("fuse_walls", "barrier") },
};

/** Select a thing and move it; on the path, make a new bend. */
function selectAt(view, where, { preview, edit, choose }) {
  let chosen = thingAt(view, where);
  let points = view.points;
  const bend = chosen ? null : bendAt(view, where);
  if (bend !== null) {
    chosen = { what: "point", index: bend };
    points = points.toSpliced(bend, 0, where);
  }
  choose(chosen, { ...view, points });
  let changed = null;
  function move(place) {
    if (!chosen || (!changed && apart(place, where) < 1)) return;
    changed = moveThing({ ...view, points }, chosen, place);
    preview(changed.view);
  }
  return { move, end: () => changed && edit(changed.change) };
}

/** Return a view with a thing moved, and the change that moves it. */
function moveThing(view, { what, index }, at) {
  const [x, y] = at;
  if (what === "point") {
    const points = view.points.with(index, at);
    return { view: { ...view, points, draft: line(points) }, change: { type: "path", points } };
  }
  const change = { type: "put", what, at, ...(what === "object" ? { index } : {}) };
  if (what === "object") {
    const objects = view.objects.with(index, { ...view.objects[index], x, y });
    return { view: { ...view, objects }, change };
  }
  const thing = { ...view[what], x, y };
  if (what === "key") thing.path = thing.path.map(() => at);
  return { view: { ...view, [what]: thing }, change };
}

/**
 * Draw a path by hand from where the agent starts; a click on an object or the key gives the
 * shortest way there.
 */
function drawPath(view, where, { preview, edit }) {
  const points = [view.points[0]];
  function move(place) {
    if (apart(place, points.at(-1)) < CLOSE) return;
    points.push(place);
    preview({ ...view, points: points.length > 2 ? [points[0]] : points, draft: line(points) });
  }
  function end() {
    const goal = thingAt({ ...view, points: [] }, where);
    const index = goal?.what === "key" ? view.objects.length : goal?.index;
    if (points.length < 2 && index !== undefined) edit({ type: "go", index });
    else edit({ type: "path", points: points.length < 2 ? [points[0], where] : points });
  }
  return { move, end };
}

/** Return the change that removes the selection; null if it must stay. */
function removal(view, { what, index }) {
  if (what !== "point") return { type: "remove", what, ...(what === "object" ? { index } : {}) };
  if (index === 0) return view.points.length > 1 ? { type: "path", points: [view.points[0]] } : null;
  return { type: "path", points: view.points.toSpliced(index, 1) };
}

/** Let the pointer use the tools on a stage. */
function steerByPointer(stage, deeds) {
  let drag = null;
  stage.node.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !deeds.editable()) return;
    event.preventDefault();
    stage.node.focus({ preventScroll: true });
    stage.node.setPointerCapture(event.pointerId);
    const where = stage.pointAt(event);
    stage.point(where);
    drag = deeds.begin(where);
  });
  stage.node.addEventListener("pointermove", (event) => drag?.move(stage.pointAt(event)));
  stage.node.addEventListener("pointerup", () => {
    const done = drag;
    drag = null;
    done?.end();
  });
  stage.node.addEventListener("pointercancel", () => {
    drag = null;
    deeds.refresh();
  });
}
