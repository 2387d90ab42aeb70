// What separates expected from unexpected episodes: the distribution of each measure.

const SURE = 0.9; // the share of pairs that a measure must get right to be shown in bold
const UNSURE = 0.6;
const BAR = { width: 4, gap: 0.6, ground: 30, highest: 29, lowest: 1.2 };

function makeSpreads() {
  return makeSection(
    "spreads",
    "What separates expected from unexpected episodes?",
    makeLead(
      "Expected episodes stand above the line, unexpected ones below. The percentage in " +
        "each picture is the share of pairs in which this measure alone points the right way; " +
        "50 % is chance.",
    ),
    make(
      "ul",
      { class: "members-key", "aria-hidden": "true" },
      make("li", { class: "e" }, "expected (e)"),
      make("li", { class: "u" }, "unexpected (u)"),
    ),
    make(
      "div",
      { class: "spreads", style: `--measures: ${data.spreads.length}` },
      make(
        "div",
        { class: "spread-heading", "aria-hidden": "true" },
        make("span"),
        data.spreads.map(({ label }) => make("span", {}, label)),
      ),
      data.tasks.map(makeSpreadRow),
    ),
  );
}

function makeSpreadRow(task, index) {
  const group = task.group === task.label ? null : make("small", {}, task.group);
  return make(
    "div",
    { class: "spread-row" },
    make("h3", { title: task.difference }, task.label, group),
    data.spreads.map((measure) => makeSpread(measure, task, measure.tasks[index])),
  );
}

function makeSpread(measure, task, spread) {
  const share = `${(100 * spread.right).toFixed(0)}\u00a0%`;
  const strength = spread.right >= SURE ? "sure" : spread.right <= UNSURE ? "unsure" : null;
  const [low, high] = measure.range.map((bound, _, [least, most]) =>
    most - least < 0.5 ? figure(bound) : decimals(bound, 1).replace(/\.0$/, ""),
  );
  return make(
    "figure",
    { class: "spread" },
    make(
      "figcaption",
      {},
      make("span", { class: "measure" }, measure.label),
      make("b", { class: strength }, share),
    ),
    drawSpread(spread, `${measure.label}, ${task.label}: ${share} of pairs point the right way.`),
    make(
      "p",
      { class: "ends", "aria-hidden": "true" },
      make("span", {}, measure.bounded ? low : `≤ ${low}`),
      make("span", {}, measure.bounded ? high : `≥ ${high}`),
    ),
  );
}

/** Draw counts as bars: expected episodes upwards, unexpected ones downwards. */
function drawSpread({ expected, unexpected }, label) {
  const width = BAR.width * expected.length;
  const most = Math.max(...expected, ...unexpected);
  return draw(
    "svg",
    {
      class: "spread-bars",
      role: "img",
      "aria-label": label,
      viewBox: `0 0 ${width} ${2 * BAR.ground}`,
      preserveAspectRatio: "none",
    },
    draw("path", { class: "e", d: bars(expected, most, -1) }),
    draw("path", { class: "u", d: bars(unexpected, most, 1) }),
    draw("path", { class: "ground", d: `M0 ${BAR.ground}H${width}` }),
  );
}

/** Return bars from the baseline; even a single episode among many is visible. */
function bars(counts, most, direction, lowest = BAR.lowest) {
  const height = (number) => Math.max((BAR.highest * number) / most, lowest);
  return counts
    .map((number, index) => {
      const x = round(BAR.width * index + BAR.gap / 2);
      const side = round(direction * height(number));
      return number ? `M${x} ${BAR.ground}v${side}h${BAR.width - BAR.gap}V${BAR.ground}Z` : "";
    })
    .join("");
}
