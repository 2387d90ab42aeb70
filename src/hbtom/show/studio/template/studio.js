// Puts the studio together.

const first = { members: [facts.trials.map(learn)], current: 0, trial: facts.trials.length - 1 };
const kept = new Set([keyOf(first.members[0])]); // episodes that are saved, or empty
const history_ = makeHistory(first, () => {
  chosen = null;
  refresh();
  judging.judge(history_.now().members);
});
let chosen = null; // the selection
let tool = "select";
let cursor = [100, 100];
let queue = Promise.resolve(); // of changes, which are made one by one
let pending = 0; // changes in the queue
let foreseen = null; // the trial with these changes

const stage = makeStage();
const time = makeTime(refresh);
const news = make("p", { class: "news", role: "status" });
const models = make(
  "select",
  { class: "model", "aria-label": "Model", onchange: () => judging.judge(history_.now().members) },
  facts.models.map((name) => make("option", {}, name)),
);
const palette = makePalette({ tool: useTool, dress });
const files = makeFiles({
  state: history_.now,
  settled: () => queue,
  tell,
  load,
  saved: (trials) => kept.add(keyOf(trials)),
});
const judging = makeJudge({ model: () => models.value, nameOf: files.nameOf, onchange: refresh });
const verdicts = makeVerdicts({ judge: judging, turnTo: showMember, vary, drop });
const trials = makeTrials({
  turn: (trial) => turnTo(() => trial),
  copy: () => changeTrials((list, at) => list.toSpliced(at, 0, list[at]), 1),
  shift: (by) => changeTrials((list, at) => list.toSpliced(at, 1).toSpliced(at + by, 0, list[at]), by),
  remove: () => changeTrials((list, at) => list.toSpliced(at, 1), 0),
});
const help = makeHelp();

/** Draw everything as it is now. */
function refresh() {
  const state = history_.now();
  const view = viewOf(state);
  time.show(view);
  stage.show(view, time.frame(), chosen);
  trials.show(state);
  verdicts.show(state, time.frame());
  palette.show(tool);
  undo.disabled = !history_.canUndo();
  redo.disabled = !history_.canRedo();
}

/** Do something, and report the result. */
async function tell(deed, meanwhile = "") {
  try {
    if (meanwhile) say(news, meanwhile);
    say(news, (await deed()) ?? "");
    news.classList.remove("problem");
  } catch (error) {
    say(news, error.message);
    news.classList.add("problem");
    refresh();
  }
}

/** Do something once everything begun before is done. */
function inTurn(deed) {
  pending++;
  queue = queue.then(() => tell(deed)).then(() => {
    pending--;
    if (!pending) foreseen = null;
  });
  return queue;
}

/** Change the current trial, or all trials if that is chosen. */
function edit(change, everywhere = palette.everywhere()) {
  return inTurn(async () => {
    const state = history_.now();
    const old = trialsOf(state);
    const targets = new Set(everywhere ? old : [old[state.trial]]);
    const made = new Map();
    for (const trial of targets) made.set(trial, learn(await ask("/edit", { trial, change })));
    const changed = (id, at) => (everywhere || at === state.trial ? made.get(id) : id);
    history_.commit(withTrials(state, old.map(changed)));
  });
}

function changeTrials(change, by) {
  inTurn(() => {
    const state = history_.now();
    const list = trialsOf(state);
    history_.commit(withTrials(state, change(list, state.trial), state.trial + by));
  });
}

/** Make the other member of a pair: the first one with another test trial. */
function vary(manner) {
  inTurn(async () => {
    const [own] = history_.now().members;
    const change = { type: "vary", manner };
    const test = learn(await ask("/edit", { trial: own.at(-1), change }));
    const members = [own, [...own.slice(0, -1), test]];
    history_.commit({ members, current: 1, trial: own.length - 1 });
  });
}

function drop() {
  inTurn(() => history_.commit({ members: [trialsOf(history_.now())], current: 0 }));
}

/** Show another trial; `choice` takes the index of the current one. */
function turnTo(choice) {
  inTurn(() => {
    const state = history_.now();
    history_.show({ trial: clamp(choice(state.trial), 0, trialsOf(state).length - 1) });
  });
}

function showMember(current) {
  inTurn(() => {
    const { members, trial } = history_.now();
    if (!members[current]) return;
    history_.show({ current, trial: Math.min(trial, members[current].length - 1) });
  });
}

function load(raw) {
  const own = raw.map(learn);
  kept.add(keyOf(own));
  history_.commit({ members: [own], current: 0, trial: raw.length - 1 });
}

/** Give the selected object, or the agent, another shape or colour. */
function dress(part, who) {
  const view = viewOf(history_.now());
  const isAgent = who === "agent" || (chosen?.what === "point" && chosen.index === 0);
  if (!isAgent && chosen?.what !== "object") return;
  const { image, rgb } = isAgent ? view.agent : view.objects[chosen.index];
  const look = { image, colour: rgb, ...part };
  edit({ type: "look", ...look, ...(isAgent ? {} : { index: chosen.index }) });
}

function useTool(id) {
  tool = id;
  chosen = null;
  refresh();
}

function choose(what, view = viewOf(history_.now())) {
  chosen = what;
  stage.show(view, time.frame(), chosen);
}

/** Begin to use the tool at a place. */
function begin(where) {
  cursor = where;
  const view = (pending && foreseen) || viewOf(history_.now());
  function preview(next) {
    foreseen = next;
    stage.show(next, time.frame(), chosen);
  }
  const deeds = { preview, edit, choose, look: palette.look };
  return TOOLS[tool].begin(view, where, deeds);
}

function nudge([dx, dy]) {
  const view = viewOf(history_.now());
  if (!chosen) {
    cursor = [clamp(cursor[0] + dx, 0, view.size[0]), clamp(cursor[1] + dy, 0, view.size[1])];
    return stage.point(cursor);
  }
  const kept = chosen;
  const { x, y } = chosenPlace(view, chosen);
  edit(moveThing(view, chosen, [x + dx, y + dy]).change, false).then(() => {
    const now = viewOf(history_.now());
    const there = kept.what === "point" ? now.points[kept.index] : chosenPlace(now, kept);
    choose(there ? kept : null);
  });
}

function remove() {
  const change = chosen && removal(viewOf(history_.now()), chosen);
  if (change) edit(change, false);
}

const sheet = (name, title, text, onclick) =>
  make("button", { type: "button", class: name, title, "aria-label": title, onclick }, text);
const undo = sheet("undo", "Undo (Ctrl+Z)", "↶", () => deeds.undo());
const redo = sheet("redo", "Redo (Ctrl+Shift+Z)", "↷", () => deeds.redo());

const deeds = {
  begin,
  refresh,
  editable: () => matchMedia("(min-width: 780px)").matches,
  use: () => begin(cursor).end(),
  tool: useTool,
  turnTo: (by) => turnTo((trial) => trial + by),
  member: showMember,
  undo: () => inTurn(history_.undo),
  redo: () => inTurn(history_.redo),
  save: () => files.save(),
  help: () => help.showModal(),
  play: time.play,
  choose,
  nudge,
  remove,
};

document.body.append(
  make(
    "header",
    { class: "page-bar" },
    make("h1", {}, "hbtom"),
    files.node,
    models,
    undo,
    redo,
    makeThemeButton(),
    sheet("ask", "Keys (?)", "?", deeds.help),
  ),
  news,
  make(
    "main",
    { class: "studio" },
    palette.node,
    make("div", { class: "middle" }, stage.node, time.node, trials.node),
    verdicts.node,
  ),
  make(
    "footer",
    {},
    `Files are saved to ${facts.folder}. hbtom ${facts.version}.`,
  ),
  help,
);
addEventListener("beforeunload", (event) => {
  if (history_.now().members.some((one) => !kept.has(keyOf(one)))) event.preventDefault();
});
stage.point(cursor);
steerByPointer(stage, deeds);
steerByKeys(stage, deeds);
refresh();
judging.judge(first.members);
