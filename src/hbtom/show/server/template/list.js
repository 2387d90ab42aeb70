// Puts the list together, and controls it.

let asked = readAsked();
let last = null; // the last answer of the server
let request = new AbortController(); // the current request
let loading = null; // the request for other rows, until it is answered
let again = 0; // the timer of the next refresh

const table = makeTable(
  (row, member) =>
    addressOf("/watch", { ...asked, from: "", task: row.task, pair: row.pair, member }),
  () => (facts.models.find(({ name }) => name === asked.model) ?? facts.models[0]).isRater,
);
const controls = makeControls(go);
const run = makeRun({ begin: () => order("/judge"), stop: () => order("/stop") });
const judging = makeJudging({ found: foundOne, failed: complain });
const trouble = make("p", { class: "trouble", role: "alert", hidden: true });
const nothing = make("p", { class: "nothing" });
const pager = makePager();

/** Change the selection and add it to the history, unless the user is still typing. */
function go(changes, { quietly = false } = {}) {
  asked = { ...asked, from: "", ...changes };
  const address = addressOf("/", asked);
  if (quietly) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  return load();
}

/** Load the selected rows from scratch. */
async function load() {
  const mine = newRequest();
  loading = mine;
  try {
    show(await answered(mine));
    table.clear();
    table.show(last.rows);
    judging.watch(table.rows(), ({ task, pair }) =>
      addressOf("/pair", { model: asked.model, task, pair }),
    );
  } catch (error) {
    complain(error);
  } finally {
    if (loading === mine) loading = null;
  }
}

/** Show new results. Rows move only if a run finds more pairs with the selected outcome. */
async function refresh() {
  if (loading) return;
  try {
    const before = last?.run?.going;
    show(await answered(newRequest()));
    const grows = (before || last.run?.going) && !["", "unjudged"].includes(asked.outcome);
    if (grows) table.show(last.rows);
    else table.update(last.rows);
  } catch (error) {
    complain(error);
  }
}

function newRequest() {
  clearTimeout(again);
  again = 0;
  request.abort();
  request = new AbortController();
  return request;
}

async function answered({ signal }) {
  const answer = await ask(addressOf("/pairs", asked), { signal });
  trouble.hidden = true;
  return answer;
}

function show(answer) {
  last = answer;
  controls.show(asked, answer.count);
  run.show(answer);
  pager.show(answer);
  say(nothing, answer.chosen ? "" : "No pair matches.");
  if (answer.run?.going) lookAgain(EVERY);
}

function lookAgain(milliseconds) {
  if (again) return; // a refresh is already due
  again = setTimeout(() => {
    again = 0;
    refresh();
  }, milliseconds);
}

function foundOne(row) {
  table.update([row]);
  lookAgain(EVERY / 2);
}

async function order(path) {
  try {
    await ask(addressOf(path, { ...asked, from: "" }), { method: "POST" });
    refresh();
  } catch (error) {
    complain(error);
  }
}

function complain(error) {
  if (error.name === "AbortError") return;
  say(trouble, error.message);
  trouble.hidden = false;
}

/** Make the buttons that turn the page. */
function makePager() {
  async function turn(by) {
    await go({ from: String(Math.max(0, last.first + by * facts.sheet)) });
    scrollTo(0, 0);
  }
  const button = (text, title, by) =>
    make("button", { type: "button", title, "aria-label": title, onclick: () => turn(by) }, text);
  const back = button("‹", "Previous pairs (←)", -1);
  const on = button("›", "Next pairs (→)", 1);
  const where = make("span", { role: "status" });
  const node = make("nav", { class: "pager", "aria-label": "Pages" }, back, where, on);
  function show({ first, chosen }) {
    back.disabled = first === 0;
    on.disabled = first + facts.sheet >= chosen;
    const end = Math.min(first + facts.sheet, chosen);
    say(where, chosen ? `${first + 1} – ${end} of ${chosen}` : "none");
  }
  return { node, show, back: () => back.click(), on: () => on.click() };
}

/** Focus the pair that was watched last. */
function focusLast() {
  const row = table.rows().find((one) => one.key === sessionStorage.getItem("watched"));
  row?.link.focus();
}

addEventListener("popstate", () => {
  asked = readAsked();
  load();
});
addEventListener("pageshow", (event) => event.persisted && load().then(focusLast));

function leftOut() {
  if (!facts.leftOutInAll) return null;
  const more = facts.leftOutInAll - facts.leftOut.length;
  const files = facts.leftOut.map(([file, why]) =>
    make("li", {}, make("b", {}, file), make("span", {}, why)),
  );
  const number = facts.leftOutInAll === 1 ? "1 file is" : `${facts.leftOutInAll} files are`;
  return make(
    "details",
    { class: "left-out" },
    make("summary", {}, `${number} not part of a pair, or cannot be read`),
    make("ul", {}, files),
    more > 0 ? make("p", { class: "note" }, `and ${more} more`) : null,
  );
}

document.body.append(
  make(
    "header",
    { class: "page-bar" },
    make("h1", {}, make("a", { href: "/" }, "hbtom")),
    make("p", { class: "dataset", title: facts.path }, facts.title),
    controls.model,
    makeThemeButton(),
  ),
  controls.node,
  run.node,
  trouble,
  make("main", {}, table.node, nothing, pager.node),
  leftOut() ?? "",
  make(
    "footer",
    {},
    make(
      "p",
      { class: "keys" },
      "Keys: ↑ ↓ to choose a pair, Enter to watch it, E or U for one episode, ← → to turn the " +
        "page, / to search, T for light or dark.",
    ),
    make("p", {}, `hbtom ${facts.version}, ${facts.path}`),
  ),
);
steerByKeys({ table, pager, controls });
load().then(focusLast);
