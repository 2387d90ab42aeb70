// How close the model is to failing: the distribution of margins, and the smallest of them.

const FEW = 5; // the least height of a bar with small margins, so that a single pair is visible

function makeMargins() {
  const near = data.margins.reach === 1 ? "below .05" : "below zero"; // as precise as the bins
  return makeSection(
    "margins",
    "How close is it to failing?",
    makeLead(
      "The margin of a pair is the rating of its expected episode minus that of the unexpected " +
        "one: zero is a tie, and a pair below zero is wrong. Bars count pairs with about the " +
        `same margin, in orange where it is ${near}. One pair in twenty has at most the margin ` +
        "in the column 5 %.",
    ),
    makeMarginTable(),
  );
}

function makeMarginTable() {
  const isBounded = data.margins.reach === 1; // otherwise a margin of .05 means nothing
  const rows = data.scores.map((row) => ({
    kind: row.kind,
    cells: [
      row.label,
      ...[row.margin_5, row.margin_least].map((one) => (one === null ? "" : figure(number(one)))),
      ...(isBounded ? [row.margin_below === null ? "" : percent(row.margin_below)] : []),
      drawMargins(row),
    ],
  }));
  const below = isBounded ? ["Below .05, %"] : [];
  const heading = ["Task", "5 %", "Least", ...below, makeMarginScale()];
  return makeTable("Margins by task", heading, rows, { class: "margins" });
}

/** Make the scale above the bars; if ratings are unbounded, the outermost bars hold the rest. */
function makeMarginScale() {
  const { reach } = data.margins;
  const ends = reach === 1 ? ["−1", "0", "1"] : [`≤ −${reach}`, "0", `≥ ${reach}`];
  return make(
    "span",
    { class: "ends" },
    ends.map((text) => make("span", {}, text)),
  );
}

function drawMargins({ label, pairs, margins }) {
  const most = Math.max(...margins, 1);
  const width = BAR.width * margins.length;
  const where = (isNear) =>
    margins.map((number, place) => (place < data.margins.near === isNear ? number : 0));
  return draw(
    "svg",
    {
      class: "margin-bars",
      role: "img",
      "aria-label": `Margins of ${count(pairs, "pair")}, ${label}.`,
      viewBox: `0 0 ${width} ${BAR.ground}`,
      preserveAspectRatio: "none",
    },
    draw("path", { class: "near", d: bars(where(true), most, -1, FEW) }),
    draw("path", { class: "far", d: bars(where(false), most, -1) }),
    draw("path", { class: "ground", d: `M0 ${BAR.ground}H${width}M${width / 2} 0V${BAR.ground}` }),
  );
}
