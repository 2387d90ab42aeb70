// Controls: model, task, outcome, and a search by name.

const PAUSE = 150; // milliseconds after the last key before a search begins

/** Make the controls. `go(changes)` changes the selection. */
function makeControls(go) {
  const model = makeModelMenu(go);
  const task = makeTaskMenu(go);
  const search = makeSearch(go);
  const outcomes = makeOutcomes(go);
  const about = make("p", { class: "about" });
  const node = make(
    "section",
    { class: "controls", "aria-label": "What to show" },
    search.node,
    task.node,
    outcomes.node,
    about,
  );
  function show(asked, count) {
    for (const one of [model, task, search]) one.show(asked);
    outcomes.show(asked, count);
    const chosen = facts.tasks.find((one) => one.name === asked.in);
    say(about, chosen?.about ?? "");
  }
  return { node, model: model.node, show, focus: () => search.input.focus() };
}

function makeModelMenu(go) {
  const options = facts.models.map(({ name, fingerprint }) =>
    make("option", { value: name, title: fingerprint }, name),
  );
  const menu = make("select", { onchange: () => go({ model: menu.value }) }, options);
  const title = facts.models.some(({ isRater }) => isRater) ? "Rater" : "Model";
  const node = make("label", { class: "model" }, make("span", {}, title), menu);
  return { node, show: (asked) => (menu.value = asked.model || facts.models[0].name) };
}

function makeTaskMenu(go) {
  const groups = new Map();
  for (const task of facts.tasks) {
    const option = make("option", { value: task.name }, `${task.label} (${task.pairs})`);
    groups.set(task.group, [...(groups.get(task.group) ?? []), option]);
  }
  const menu = make(
    "select",
    { "aria-label": "Task", onchange: () => go({ in: menu.value }) },
    make("option", { value: "" }, `All tasks (${facts.pairs})`),
    [...groups].flatMap(([label, options]) =>
      options.length > 1 ? make("optgroup", { label }, options) : options,
    ),
  );
  return { node: menu, show: (asked) => (menu.value = asked.in) };
}

function makeSearch(go) {
  let typing = 0;
  const begin = () => go({ search: input.value.trim() }, { quietly: true });
  const input = make("input", {
    type: "search",
    placeholder: "Search by name",
    "aria-label": "Search by name",
    autocomplete: "off",
    spellcheck: "false",
    oninput: () => {
      clearTimeout(typing);
      typing = setTimeout(begin, PAUSE);
    },
  });
  function show(asked) {
    if (document.activeElement !== input) input.value = asked.search;
  }
  return { node: input, input, show };
}

function makeOutcomes(go) {
  const all = makeOutcome("", "all", "", go);
  const others = Object.entries(VERDICTS).map(([verdict, { mark: sign }]) =>
    makeOutcome(verdict, verdict === "unjudged" ? "not judged yet" : verdict, sign, go),
  );
  const chips = [all, ...others];
  const node = make(
    "div",
    { class: "outcomes", role: "group", "aria-label": "Outcome" },
    chips.map((chip) => chip.node),
  );
  function show(asked, count) {
    const total = Object.values(count).reduce((sum, one) => sum + one, 0);
    for (const chip of chips) {
      chip.show(asked.outcome === chip.verdict, chip.verdict ? count[chip.verdict] : total);
    }
  }
  return { node, show };
}

function makeOutcome(verdict, name, sign, go) {
  const number = make("b", {});
  const node = make(
    "button",
    { type: "button", class: `outcome ${verdict}`, onclick: () => go({ outcome: verdict }) },
    sign ? make("span", { class: "mark", "aria-hidden": "true" }, sign) : null,
    make("span", {}, name),
    number,
  );
  function show(isChosen, count) {
    set(node, { "aria-pressed": isChosen });
    node.classList.toggle("none", count === 0);
    say(number, String(count));
  }
  return { verdict, node, show };
}
