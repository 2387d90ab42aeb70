// All pairs: filtered, sorted, and one page at a time.

const LINES = 25;
const COLUMNS = [
  { key: "task", label: "Task", about: "task" },
  { key: "name", label: "Pair", about: "name" },
  { key: "e", label: "e", about: "the rating of the expected episode", number: true },
  { key: "u", label: "u", about: "the rating of the unexpected episode", number: true },
  { key: "margin", label: "Margin", about: "margin", number: true },
  { key: "outcome", label: "Outcome", about: "outcome" },
];
const RANK = { w: 0, t: 1, m: 2, r: 3 };
const EVERYTHING = { task: "", outcome: "", text: "" };

/** Make the list of all pairs; `show(wish)` filters them by task, outcome or name. */
function makeList() {
  const state = { ...EVERYTHING, key: "margin", falls: false, page: 0 };
  const opened = new Set();
  const values = columnsToSort();
  let order = [];
  const heading = makeListHeading((key) => {
    choose({ key, falls: state.key === key && !state.falls });
  });
  const filters = makeFilters(choose);
  const pager = makePager((page) => turn(page));
  const found = make("p", { class: "found", role: "status" });
  const body = make("tbody");

  /** Change the filter or the order, and go to the first page. */
  function choose(wish) {
    Object.assign(state, wish);
    order = matching(state, values);
    heading.show(state);
    const all = count(pairCount, "pair");
    say(found, order.length === pairCount ? all : `${thousands(order.length)} of ${all}`);
    turn(0);
  }
  function turn(page) {
    const pages = Math.max(Math.ceil(order.length / LINES), 1);
    state.page = clamp(page, 0, pages - 1);
    pager.show(state.page, pages);
    const shown = order.slice(state.page * LINES, (state.page + 1) * LINES);
    body.replaceChildren(...shown.flatMap((index) => makeLines(index, opened.has(index), toggle)));
  }
  function toggle(index) {
    if (!opened.delete(index)) opened.add(index);
    turn(state.page);
    body.querySelector(`[data-index="${index}"]`).focus();
  }
  choose({});
  const node = makeSection(
    "pairs",
    "All pairs",
    makeLead(
      "The margin is how much higher the expected episode is rated. Click the name of a pair " +
        "for its details, or a heading to sort.",
    ),
    make("div", { class: "tools" }, filters.node, found, pager.node),
    makeScroller("All pairs", make("table", { class: "pairs" }, heading.node, body)),
  );
  function show(wish) {
    filters.show({ ...EVERYTHING, ...wish });
    choose({ ...EVERYTHING, ...wish });
    node.scrollIntoView();
  }
  return { node, show };
}

/** Return the values by which each column is sorted. */
function columnsToSort() {
  const { task, name, outcome, margin, e, u } = data.pairs;
  return {
    task,
    name,
    e: e.rating.map(toSort),
    u: u.rating.map(toSort),
    margin: margin.map(toSort),
    outcome: Array.from(outcome, (letter) => RANK[letter]),
  };
}

/** Return a value to sort by: what is missing comes first. */
const toSort = (stored) => (stored === null ? -Infinity : Number(stored));

/** Return the indices of all matching pairs, sorted; ties stay in the benchmark's order. */
function matching({ task, outcome, text, key, falls }, values) {
  const wanted = text.trim().toLowerCase();
  const fits = (index) =>
    (task === "" || values.task[index] === Number(task)) &&
    (outcome === "" || outcome.includes(data.pairs.outcome[index])) &&
    values.name[index].toLowerCase().includes(wanted);
  const column = values[key];
  const sign = falls ? -1 : 1;
  return Array.from(column.keys())
    .filter(fits)
    .sort((a, b) => (column[a] < column[b] ? -sign : column[a] > column[b] ? sign : a - b));
}

function makeListHeading(onsort) {
  const cells = COLUMNS.map(({ key, label, about, number }) => {
    const attributes = { type: "button", title: `Sort by ${about}`, onclick: () => onsort(key) };
    const button = make("button", attributes, label);
    return { key, node: make("th", { scope: "col", class: number ? "number" : null }, button) };
  });
  function show(state) {
    const direction = state.falls ? "descending" : "ascending";
    for (const { key, node } of cells) {
      set(node, { "aria-sort": key === state.key ? direction : "none" });
    }
  }
  const row = make(
    "tr",
    {},
    cells.map((cell) => cell.node),
  );
  return { node: make("thead", {}, row), show };
}

/** Make the filters: by task, by outcome, and by part of a name. */
function makeFilters(onchoose) {
  const option = (value, text) => make("option", { value }, text);
  const task = make(
    "select",
    { "aria-label": "Task", onchange: () => onchoose({ task: task.value }) },
    option("", "All tasks"),
    data.tasks.map(({ label }, index) => option(index, label)),
  );
  const outcome = make(
    "select",
    { "aria-label": "Outcome", onchange: () => onchoose({ outcome: outcome.value }) },
    option("", "All outcomes"),
    option("wtm", "not right"),
    Object.entries(OUTCOMES).map(([letter, { word }]) => option(letter, word)),
  );
  const text = make("input", {
    type: "search",
    placeholder: "Part of a name",
    "aria-label": "Part of a name",
    oninput: () => onchoose({ text: text.value }),
  });
  function show(wish) {
    task.value = wish.task;
    outcome.value = wish.outcome;
    text.value = wish.text;
  }
  return { node: make("div", { class: "filters" }, task, outcome, text), show };
}

function makePager(onturn) {
  let current = 0;
  const where = make("span", { class: "where" });
  const button = (sign, label, by) => {
    const attributes = { type: "button", title: label, "aria-label": label };
    return make("button", { ...attributes, onclick: () => onturn(current + by) }, sign);
  };
  const [before, after] = [button("‹", "Previous pairs", -1), button("›", "Next pairs", 1)];
  function show(page, pages) {
    current = page;
    before.disabled = page === 0;
    after.disabled = page === pages - 1;
    say(where, `${page + 1} of ${thousands(pages)}`);
  }
  const attributes = { class: "pager", "aria-label": "Pages of the list" };
  return { node: make("nav", attributes, before, where, after), show };
}

/** Make the row of a pair, followed by its details if they are open. */
function makeLines(index, isOpen, ontoggle) {
  const pair = pairAt(index);
  const { word, sign } = OUTCOMES[pair.outcome];
  const name = make(
    "button",
    {
      type: "button",
      title: pair.name,
      "aria-expanded": String(isOpen),
      "data-index": index,
      onclick: () => ontoggle(index),
    },
    pair.name,
  );
  const line = make(
    "tr",
    {},
    make("td", {}, pair.task.label),
    make("th", { scope: "row" }, name),
    [pair.e.rating, pair.u.rating, pair.margin].map((value) =>
      make("td", { class: "number" }, figure(value)),
    ),
    make("td", { class: `outcome ${word}` }, sign, make("span", { class: "word" }, ` ${word}`)),
  );
  const near = () => make("td", { colspan: COLUMNS.length }, makeDetails(pair));
  return isOpen ? [line, make("tr", { class: "near" }, near())] : [line];
}
