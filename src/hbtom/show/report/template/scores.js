// Accuracy: a dot with its interval for each task, and the published figures.

const ROW = { ours: 16, marks: 23, names: 45, height: 54, bare: 32 };
const [SCALE_HEIGHT, LABEL_HEIGHT] = [22, 18];
const PAPER = 720; // pixels across a sheet

function makeScores() {
  const svg = draw("svg", {
    class: "score-chart",
    role: "img",
    "aria-label": "Accuracy with its interval for each task; the table below has all figures.",
  });
  const box = make("figure", { class: "score-box" }, svg);
  const fit = () => layOutScores(svg, Math.max(box.clientWidth, 260));
  new ResizeObserver(fit).observe(box);
  addEventListener("beforeprint", () => layOutScores(svg, PAPER));
  addEventListener("afterprint", fit);
  return makeSection(
    "scores",
    "How often is it right?",
    makeLead(
      "A pair is right if its expected episode is rated higher; a tie or a missing rating counts as " +
        "half. Dots are " +
        "accuracies in per cent, bars their 95 % intervals (Wilson). The dashed line is chance.",
    ),
    box,
    hasPublished() ? makeKey() : null,
    makeScoreTable(),
  );
}

const hasPublished = () => data.scores.some((row) => Object.keys(row.published).length);

/** Explain the marks below the bars. */
function makeKey() {
  const systems = data.systems.map(([name, short, source]) =>
    make("li", {}, make("b", {}, short), name === short ? ` ${source}` : ` ${name}, ${source}`),
  );
  return make(
    "div",
    { class: "key" },
    make("ul", { "aria-label": "Published systems" }, systems),
    make(
      "p",
      { class: "note" },
      "▲ Published figures are for the real benchmark. Compare them only with ratings of the " +
        "real benchmark, not with ratings of synthetic episodes.",
    ),
  );
}

// The chart

function layOutScores(svg, width) {
  const wide = width >= 640; // labels have their own column; otherwise they stand above their rows
  const [left, right] = [wide ? 180 : 12, width - 62];
  const low = lowestOf(data.scores);
  const x = (share) => round(left + ((right - left) * (100 * share - low)) / (100 - low));
  let y = SCALE_HEIGHT;
  const rows = data.scores.map((row) => {
    const above = wide ? 0 : LABEL_HEIGHT;
    const drawn = drawScore(row, { x, wide, width, left, right, top: y, y: y + above });
    y += above + (Object.keys(row.published).length ? ROW.height : ROW.bare);
    return drawn;
  });
  set(svg, { viewBox: `0 0 ${width} ${y}`, width, height: y });
  svg.replaceChildren(drawScale(x, low, y), ...rows);
}

/** Return the start of the scale: a multiple of ten, below everything shown. */
function lowestOf(rows) {
  const shown = rows.flatMap((row) => [row.interval[0], ...Object.values(row.published)]);
  return Math.max(0, 10 * Math.floor(10 * Math.min(...shown, 0.5) - 0.01));
}

function drawScale(x, low, bottom) {
  const shares = Array.from({ length: 11 }, (_, index) => index / 10);
  return draw(
    "g",
    { class: "scale" },
    shares
      .filter((share) => 100 * share >= low)
      .flatMap((share) => [
        draw("line", {
          class: share === 0.5 ? "chance" : "rule",
          x1: x(share),
          x2: x(share),
          y1: SCALE_HEIGHT - 3,
          y2: bottom,
        }),
        draw("text", { x: x(share), y: 13, "text-anchor": "middle" }, String(100 * share)),
      ]),
  );
}

function drawScore(row, { x, wide, width, left, right, top, y }) {
  const [start, end] = row.interval.map(x);
  const middle = y + ROW.ours;
  const indent = row.kind === "task" ? 14 : 0;
  const told = `${row.label}: ${percent(row.accuracy)} %, ${count(row.pairs, "pair")}`;
  return draw(
    "g",
    { class: `score ${row.kind}` },
    indent ? null : draw("line", { class: "hair", x1: 0, x2: width, y1: top, y2: top }),
    draw("text", { class: "name", x: indent, y: wide ? middle + 5 : y + 1 }, row.label),
    draw(
      "g",
      {},
      draw("title", {}, told),
      draw("line", { class: "interval", x1: start, x2: end, y1: middle, y2: middle }),
      draw("circle", { class: "dot", cx: x(row.accuracy), cy: middle, r: 5.5 }),
    ),
    draw(
      "text",
      { class: "figure", x: width, y: middle + 5, "text-anchor": "end" },
      percent(row.accuracy),
    ),
    drawPublished(row.published, { x, left, right, y }),
  );
}

/** Draw a mark at each published figure, and its name as close as possible. */
function drawPublished(published, { x, left, right, y }) {
  const marks = data.systems
    .filter(([name]) => name in published)
    .map(([name, text]) => ({ name, text, at: x(published[name]), size: 7 * text.length + 7 }))
    .sort((one, other) => one.at - other.at);
  pushApart(marks, left - 10, right + 30);
  return draw(
    "g",
    { class: "published" },
    marks.map(({ name, text, at, place }) =>
      draw(
        "g",
        { class: name === "HBToM" ? "first" : null },
        draw("title", {}, `${name}: ${percent(published[name])} %`),
        draw("path", { class: "thread", d: `M${at} ${y + ROW.marks + 6}L${place} ${y + 36}` }),
        draw("path", { class: "mark", d: `M${at} ${y + ROW.marks}l3.5 6h-7Z` }),
        draw("text", { x: place, y: y + ROW.names, "text-anchor": "middle" }, text),
      ),
    ),
  );
}

/**
 * Place labels in order, without overlap and within bounds, as close as possible to their marks:
 * labels that would overlap form blocks, each centred on its marks.
 */
function pushApart(labels, low, high) {
  const blocks = [];
  let offset = 0; // of a label from the first one, if all are side by side
  labels.forEach((label, index) => {
    offset += index ? (labels[index - 1].size + label.size) / 2 : 0;
    Object.assign(label, { offset });
    let block = { members: [label], start: label.at - offset };
    while (blocks.length && blocks.at(-1).start > block.start) {
      const members = [...blocks.pop().members, ...block.members];
      block = { members, start: mean(members.map((one) => one.at - one.offset)) };
    }
    blocks.push(block);
  });
  const most = high - offset - labels.at(-1)?.size / 2;
  for (const { members, start } of blocks) {
    const first = clamp(start, low + labels[0].size / 2, most);
    for (const label of members) label.place = round(first + label.offset);
  }
}

const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

// The table

function makeScoreTable() {
  const systems = hasPublished() ? data.systems.map(([name]) => name) : [];
  const missing = data.scores.at(-1).missing ? ["Missing"] : [];
  const rows = data.scores.map((row) => ({
    kind: row.kind,
    cells: [
      row.label,
      percent(row.accuracy),
      row.interval.map(percent).join(" – "),
      thousands(row.pairs),
      thousands(row.correct),
      thousands(row.ties),
      ...missing.map(() => thousands(row.missing)),
      ...systems.map((name) => makePublished(row.published, name)),
    ],
  }));
  const first = ["Task", "Accuracy, %", "95 % interval", "Pairs", "Right", "Ties"];
  const heading = [...first, ...missing, ...systems];
  return makeTable("Accuracy by task", heading, rows, { class: "scores" });
}

/** Make a published figure; the best of its row is bold. */
function makePublished(published, name) {
  if (!(name in published)) return "";
  const best = published[name] === Math.max(...Object.values(published));
  return make(best ? "b" : "span", {}, percent(published[name]));
}
