// Reads the data: makes pairs from columns.

const data = JSON.parse(document.getElementById("data").textContent);
const OUTCOMES = {
  w: { word: "wrong", sign: "✗" },
  t: { word: "tie", sign: "=" },
  m: { word: "missing", sign: "?" },
  r: { word: "right", sign: "✓" },
};
const PARTS = data.parts;
const hasParts = "part_goal" in data.pairs.e;
const isRatedByParts = data.about.rated === "plausibility";
const pairCount = data.pairs.name.length;

/** Return everything known about a pair, given its index. */
function pairAt(index) {
  const { task, name, outcome, margin } = data.pairs;
  return {
    index,
    task: data.tasks[task[index]],
    name: name[index],
    outcome: outcome[index],
    margin: number(margin[index]),
    e: memberAt("e", index),
    u: memberAt("u", index),
    own: Object.entries(data.pairs.own).map(([name, values]) => [name, ...values[index]]),
    missing: data.pairs.missing[index] ?? [],
    link: data.links[index] ?? null,
  };
}

function memberAt(member, index) {
  const columns = Object.entries(data.pairs[member]);
  return Object.fromEntries(columns.map(([name, values]) => [name, number(values[index])]));
}

/** Return a number as it was stored: infinity is stored as text, what is missing as null. */
const number = (stored) => (stored === null ? NaN : Number(stored));

/** Return a number with few digits, but enough for it not to look like zero; or "missing". */
function figure(value) {
  if (Number.isNaN(value)) return "missing";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  const tiny = size > 0 && size < 0.0005;
  const text = tiny ? value.toPrecision(1) : value.toFixed(size < 100 ? 3 : size < 1e5 ? 1 : 0);
  return text.replaceAll("-", "−");
}

/** Return a share in per cent, rounded half to even like hbtom's other tables. */
function percent(share) {
  const value = 100 * share;
  return (value % 1 === 0.25 ? value - 0.05 : value).toFixed(1);
}

const thousands = (number) => number.toLocaleString("en");
const count = (number, one, many = `${one}s`) =>
  `${thousands(number)} ${number === 1 ? one : many}`;

/** Make a section with a question as its heading. */
function makeSection(id, heading, ...children) {
  return make(
    "section",
    { id, "aria-labelledby": `${id}-heading` },
    make("h2", { id: `${id}-heading` }, heading),
    ...children,
  );
}

/** Make a table that scrolls if the screen is too narrow for it. */
function makeTable(label, heading, rows, attributes = {}) {
  const line = ({ kind, cells: [name, ...cells] }) =>
    make(
      "tr",
      { class: kind },
      make("th", { scope: "row" }, name),
      cells.map((content) => make("td", {}, content)),
    );
  const table = make(
    "table",
    attributes,
    make(
      "thead",
      {},
      make(
        "tr",
        {},
        heading.map((text) => make("th", { scope: "col" }, text)),
      ),
    ),
    make("tbody", {}, rows.map(line)),
  );
  return makeScroller(label, table);
}

/** Let something wide scroll, also by keys. */
const makeScroller = (label, content) =>
  make("div", { class: "scroller", role: "region", "aria-label": label, tabindex: 0 }, content);

/** Make the paragraph below a heading, which says how to read what follows. */
const makeLead = (text) => make("p", { class: "lead" }, text);
