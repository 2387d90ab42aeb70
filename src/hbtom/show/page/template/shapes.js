// Draws the things that images are named after. Files contain only the names of images; these
// pictures are our own, on a square from -10 to 10, y downwards. Other things are tokens with
// letters.

const disc = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 1 ${2 * r} 0a${r} ${r} 0 1 1 ${-2 * r} 0Z`;
const box = (x, y, width, height) => `M${x} ${y}h${width}v${height}h${-width}Z`;

/** A lens from one point to another; `bend` sets its width. */
const leaf = (x0, y0, x1, y1, bend) => {
  const [mx, my] = [(x0 + x1) / 2, (y0 + y1) / 2];
  const [dx, dy] = [(y1 - y0) * bend, (x0 - x1) * bend];
  return `M${x0} ${y0}Q${mx + dx} ${my + dy} ${x1} ${y1}Q${mx - dx} ${my - dy} ${x0} ${y0}Z`;
};

const TRIANGLE = "M0-8.5L8.5 7.5H-8.5Z";

const SHAPES = {
  // the benchmark's agents
  clove:
    disc(-4.2, -4.2, 4.9) +
    disc(4.2, -4.2, 4.9) +
    disc(-4.2, 4.2, 4.9) +
    disc(4.2, 4.2, 4.9) +
    disc(0, 0, 2),
  kite: "M0-9.5L6.5-2L0 9.5L-6.5-2Z",
  pentagon: "M0-9.5L9-2.9L5.6 7.7H-5.6L-9-2.9Z",
  // the benchmark's objects
  capsule: "M-4.5-5A4.5 4.5 0 0 1 4.5-5V-.6H-4.5ZM-4.5.6H4.5V5A4.5 4.5 0 0 1-4.5 5Z",
  clove_tree:
    disc(0, -5, 4.5) + disc(-4.6, 0.6, 4.2) + disc(4.6, 0.6, 4.2) + box(-1.4, -2, 2.8, 11.5),
  curved_triangle: "M0-9C6-5 9.5 1 8.5 7C3 9-3 9-8.5 7C-9.5 1-6-5 0-9Z",
  double_dia: "M0-9.5L5.2-4.7L0 0L-5.2-4.7ZM0 0L5.2 4.7L0 9.5L-5.2 4.7Z",
  flag: "M-7-9.5H-4.8V9.5H-7ZM-4.8-9L9-5L-4.8-.6Z",
  heart: "M0 8.5C-7 3-9.5 0-9.5-3.6C-9.5-9-2-9.5 0-4.6C2-9.5 9.5-9 9.5-3.6C9.5 0 7 3 0 8.5Z",
  medal: disc(0, 3.4, 6) + "M-7-9.5H-2.4L.6-2H-4ZM7-9.5H2.4L-.6-2H4Z",
  moon: "M4-9A9.2 9.2 0 1 0 4 9A10.5 10.5 0 0 1 4-9Z",
  spoon:
    "M0-9.8C3.2-9.8 4.4-7.2 4.4-5C4.4-2.4 2.7-.9 1.2-.4L1.5 9.5H-1.5L-1.2-.4" +
    "C-2.7-.9-4.4-2.4-4.4-5C-4.4-7.2-3.2-9.8 0-9.8Z",
  vase: "M-3.4-9.5H3.4L2.2-6C8-3 7.6 4.4 3.8 9.5H-3.8C-7.6 4.4-8-3-2.2-6Z",
  wine: "M-5.6-9.5H5.6C6.4-3.6 4.4-.4 1-.1V7.3H5.4V9.5H-5.4V7.3H-1V-.1C-4.4-.4-6.4-3.6-5.6-9.5Z",
  // agents of synthetic episodes
  acorn:
    "M-8-2.4C-8-7-3.6-8-1-8V-9.6H1V-8C3.6-8 8-7 8-2.4ZM-6.6-1.2H6.6C6.6 4.6 3 7.4 0 9.6" +
    "C-3 7.4-6.6 4.6-6.6-1.2Z",
  beetle:
    "M-.6-5V9C-5 8.4-6.6 4.6-6.6 1.2C-6.6-2.6-4-4.6-.6-5ZM.6-5V9C5 8.4 6.6 4.6 6.6 1.2" +
    "C6.6-2.6 4-4.6.6-5ZM-4-5.6A4.2 4.2 0 0 1 4-5.6Z",
  comet: disc(3.6, 3.6, 5.6) + "M-9.5-9.5L3.6-2L-2 3.6Z",
  drop: "M0-9.6C3-4.6 6.8-1 6.8 3A6.8 6.6 0 0 1-6.8 3C-6.8-1-3-4.6 0-9.6Z",
  lantern:
    box(-3, -9.6, 6, 2) + "M-4-7H4C8.4-4 8.4 4 4 7H-4C-8.4 4-8.4-4-4-7Z" + box(-3, 7.6, 6, 2),
  pebble: "M-3-7.6C3-9 9-5.4 9 0C9 5.4 4.6 8 0 8C-5.4 8-9 5-9 .6C-9-3.4-6.4-6.8-3-7.6Z",
  shuttle: leaf(-9.6, 0, 9.6, 0, 0.62),
  sprout: leaf(0, 1, -8.6, -6.6, 0.5) + leaf(0, 1, 8.6, -6.6, 0.5) + box(-1.2, 0, 2.4, 9.5),
  // objects of synthetic episodes
  anvil: "M-9.5-7H9V-3.6C4.6-3 3-1.4 3 2H6V7H-6.4V2H-3C-3-1.4-6.6-2.6-9.5-7Z",
  bobbin: box(-8, -9, 16, 3.6) + box(-4, -5.8, 8, 11.6) + box(-8, 5.4, 16, 3.6),
  buoy: "M-1.4-9.6H1.4L4-1H-4ZM-8.6.4H8.6C8.6 5.6 4.6 9 0 9C-4.6 9-8.6 5.6-8.6.4Z",
  chalice: "M-7-9.5H7C7-3.4 5-.4 1.4.6V5.6L5.4 9.5H-5.4L-1.4 5.6V.6C-5-.4-7-3.4-7-9.5Z",
  crumpet:
    disc(0, 0, 9) +
    disc(-3.2, -3, 1.5) +
    disc(3, -3.8, 1.3) +
    disc(4.2, 2, 1.5) +
    disc(-0.6, 1.2, 1.3) +
    disc(-4.4, 3.2, 1.2) +
    disc(0.8, 5.6, 1.3),
  fern:
    box(-0.8, -6, 1.6, 15.6) +
    leaf(0, -5, 0, -9.8, 0.5) +
    [-1, 1]
      .map((side) => leaf(0, -2, 4 * side, -7, 0.34) + leaf(0, 2, 8 * side, -3, 0.34))
      .join("") +
    leaf(0, 6, -4, 1, 0.34) +
    leaf(0, 6, 4, 1, 0.34),
  gourd:
    "M-1-9.6H1.6L1.2-7.6C4.4-7 4.8-3.4 3-1.4C8.6.6 8.4 9.4 0 9.4C-8.4 9.4-8.6.6-3-1.4" +
    "C-4.8-3.4-4.4-7-1-7.6Z",
  hinge: box(-9.5, -6, 8, 12) + box(1.5, -6, 8, 12) + box(-1.1, -8.6, 2.2, 17.2),
  paddle:
    "M0-9.8C4.6-9.8 5.4-5.6 4.6-1.6C4.2.6 2.6 1.4 1.2 1.8V9.6H-1.2V1.8" +
    "C-2.6 1.4-4.2.6-4.6-1.6C-5.4-5.6-4.6-9.8 0-9.8Z",
  saddle:
    "M-9.5-6.4C-6-8.6-4-3 .4-3C4.4-3 6-8 9.5-6.6C9.6-1.6 6.6 1.4 3.4 1.8V8.4H-3V1.8" +
    "C-7 1-9.4-1.6-9.5-6.4Z",
  turret: "M-7.6-9.5H-4.2V-6.4H-1.8V-9.5H1.8V-6.4H4.2V-9.5H7.6V-1.6H5.6V9.5H-5.6V-1.6H-7.6Z",
  whisk: leaf(0, 2.4, 0, -9.8, 0.86) + leaf(0, 2.4, 0, -9.8, 0.4) + box(-1.4, 2, 2.8, 7.8),
  // Machine Common Sense scenes
  cube: box(-8, -8, 16, 16),
  cylinder: disc(0, 0, 9),
  sphere: disc(0, 0, 9),
};
const HOLES = new Set(["crumpet", "whisk"]); // drawn with holes

/** Draw a thing around the origin, in its own shape, colour and size. */
function drawThing(thing, attributes = {}) {
  const scale = round((thing.r / 10) * 1.02);
  const group = draw("g", { class: "thing", ...attributes });
  group.append(draw("g", { transform: `scale(${scale})` }, picture(thing)));
  return group;
}

function picture({ shape, rgb }) {
  const fill = `rgb(${rgb.join(" ")})`;
  const [, kind, turn] = /^(triangle|triangle_slot)(0|90|180|270)$/.exec(shape) ?? [];
  const transform = `rotate(${turn ?? 0})`;
  if (kind === "triangle") return draw("path", { d: TRIANGLE, fill, transform });
  if (kind) {
    const slot = draw("path", { class: "slot", d: "M0-5.5L5.5 4.8H-5.5Z" }); // white in any light
    return draw("g", { transform }, draw("path", { d: box(-10, -10, 20, 20), fill }), slot);
  }
  if (Object.hasOwn(SHAPES, shape)) {
    const rule = HOLES.has(shape) ? "evenodd" : "nonzero";
    return draw("path", { d: SHAPES[shape], fill, "fill-rule": rule });
  }
  return token(shape, rgb, fill);
}

/** Return whether dark letters are more legible on a colour than light ones. */
const isBright = ([red, green, blue]) => 0.299 * red + 0.587 * green + 0.114 * blue > 140;

function token(shape, rgb, fill) {
  const [, number] = /^blob_(\d+)$/.exec(shape) ?? []; // all agents of these scenes are blobs
  const letters = [...shape.replace(/[^\p{L}\p{N}]/gu, "")].slice(0, 2).join("") || "?";
  return [
    draw("circle", { r: 9, fill }),
    draw("text", { class: "token", fill: isBright(rgb) ? "#111" : "#fff", y: 3.4 }, number ?? letters),
  ];
}
