// The pairs, one per row: the outcome, and how plausible each episode is.

const VERDICTS = {
  right: { mark: "✓", means: "The expected episode is judged more plausible." },
  wrong: { mark: "✗", means: "The unexpected episode is judged more plausible." },
  tie: { mark: "=", means: "Both are judged equally plausible." },
  missing: { mark: "?", means: "An episode cannot be judged, which counts as half." },
  unreadable: { mark: "!", means: "An episode cannot be read." },
  unjudged: { mark: "·", means: "It has not been judged yet." },
};
const MEMBERS = { e: "expected", u: "unexpected" };
const COLUMNS = ["Outcome", "Pair", "Task", "Plausibility", "● expected", "◆ unexpected"];
const SCALE = COLUMNS.indexOf("Plausibility");

/**
 * Make the table. `watch(row, member)` returns the address of a page, `isRater()` whether values
 * are a rater's ratings rather than a model's plausibilities.
 */
function makeTable(watch, isRater) {
  const known = new Map();
  const body = make("tbody", { role: "rowgroup" });
  const heading = COLUMNS.map((name) => make("th", { role: "columnheader", scope: "col" }, name));
  const node = make(
    "table",
    { class: "pairs", role: "table", "aria-label": "Pairs" },
    make("thead", { role: "rowgroup" }, make("tr", { role: "row" }, heading)),
    body,
  );
  const keyOf = (row) => JSON.stringify([row.task, row.pair]);
  /** Show exactly these rows; existing rows keep their elements. */
  function show(rows) {
    say(heading[SCALE], isRater() ? "Rating" : COLUMNS[SCALE]);
    const before = new Map(known);
    known.clear();
    for (const row of rows) {
      const key = keyOf(row);
      const one = before.get(key) ?? makeRow(key, (member) => watch(row, member), isRater);
      one.show(row);
      known.set(key, one);
    }
    const nodes = [...known.values()].map((one) => one.node);
    const there = [...body.children];
    const same = nodes.length === there.length && nodes.every((node, at) => node === there[at]);
    if (!same) replaceRows(nodes);
  }
  /** Update existing rows. */
  function update(rows) {
    for (const row of rows) known.get(keyOf(row))?.show(row);
  }
  /** Replace the rows; a focused row keeps the focus. */
  function replaceRows(nodes) {
    const focused = document.activeElement;
    body.replaceChildren(...nodes);
    if (body.contains(focused)) focused.focus({ preventScroll: true });
  }
  const clear = () => known.clear();
  return { node, show, update, clear, rows: () => [...known.values()] };
}

function makeRow(key, watch, isRater) {
  const mark_ = make("span", { class: "mark", "aria-hidden": "true" });
  const word = make("span", { class: "word" });
  const pair = make("a", { class: "open" });
  const task = make("td", { role: "cell", class: "task" });
  const plot = makePlot();
  const links = Object.keys(MEMBERS).map((member) => make("a", { class: `one ${member}` }));
  const told = make("td", { role: "cell", class: "told" });
  const pictures = make("td", { role: "cell", class: "pictures", "aria-hidden": "true" });
  const node = make(
    "tr",
    { role: "row" },
    make("td", { role: "cell", class: "verdict" }, mark_, word),
    make("th", { role: "rowheader", scope: "row", class: "name" }, pair),
    task,
    make("td", { role: "cell", class: "plot" }, plot.node),
    links.map((link) => make("td", { role: "cell", class: "value" }, link)),
    told,
    pictures,
  );
  const row = { key, node, link: pair, links, data: null, show };
  function show(data) {
    if (row.data?.pictures?.length !== data.pictures?.length) {
      pictures.replaceChildren(...(data.pictures ?? []).map(makePicture));
    }
    row.data = data;
    const { mark: sign, means } = VERDICTS[data.verdict];
    node.className = data.verdict;
    node.firstChild.title = means;
    say(mark_, sign);
    say(word, data.verdict === "unjudged" ? "not judged yet" : data.verdict);
    say(pair, data.pair);
    pair.title = data.pair;
    say(task, data.label);
    plot.show(data);
    pair.href = watch("");
    Object.entries(MEMBERS).forEach(([member, name], index) => {
      const value = data[name] ?? null;
      const other = data.verdict === "unreadable" ? "see why" : "watch";
      links[index].href = watch(member);
      const number = isRater() ? short : three;
      say(links[index], value === null ? other : number(value));
      links[index].title = `Watch the ${name} episode alone`;
      links[index].ariaLabel = `${name} episode of ${data.pair}: ${links[index].textContent}`;
    });
    say(told, (data.problems ?? []).join("\n"));
    told.hidden = !data.problems?.length;
  }
  return row;
}

/** Draw a test trial as small as a word: walls, things, and the agent's path. */
function makePicture({ size, walls, barrier, things, way }) {
  return draw(
    "svg",
    { class: "picture", viewBox: `0 0 ${size.join(" ")}` },
    draw("path", { class: "walls", d: walls }),
    draw("path", { class: "barrier", d: barrier }),
    things.map(makeThing),
    draw("polyline", { class: "way", points: way.join(" ") }),
    draw("circle", { class: "start", cx: way[0][0], cy: way[0][1], r: 6 }),
  );
}

/** Draw a thing: an object is a disc, a key a triangle, a lock a square. */
function makeThing([kind, x, y, r, ...rgb]) {
  const fill = `rgb(${rgb})`;
  if (kind === "object") return draw("circle", { cx: x, cy: y, r, fill });
  const [left, top] = [x - r, y - r];
  const triangle = `M${x} ${top}l${r} ${2 * r}h${-2 * r}z`;
  const square = `M${left} ${top}h${2 * r}v${2 * r}h${-2 * r}z`;
  return draw("path", { class: kind, d: kind === "key" ? triangle : square, fill });
}

/** Return a number with four digits, or fewer if these say the same. */
const short = (value) => String(Number(value.toPrecision(4)));

/** Make a scale from 0 to 1 with the two episodes on it: a dot and a diamond. */
function makePlot() {
  const [span, ...marks] = ["span", "dot e", "dot u"].map((name) => make("i", { class: name }));
  const node = make("div", { class: "scale", "aria-hidden": "true" }, span, marks);
  function show({ expected = null, unexpected = null }) {
    const values = [expected, unexpected];
    node.hidden = values.some((value) => value < 0 || value > 1);
    values.forEach((value, index) => {
      marks[index].hidden = value === null;
      marks[index].style.left = `${round(100 * (value ?? 0))}%`;
    });
    span.hidden = marks.some((mark) => mark.hidden);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    span.style.left = `${round(100 * low)}%`;
    span.style.width = `${round(100 * (high - low))}%`;
  }
  return { node, show };
}
