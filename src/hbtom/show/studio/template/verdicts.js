// The judgements of the episodes, which are sent to the server a moment after the last change.

const MOMENT = 250; // milliseconds
const MOST_KNOWN = 100; // judgements that are remembered
const VARIATIONS = {
  swap: "the agent goes to the other object",
  straighten: "the agent takes the shortest way",
  detour: "the agent takes a detour",
};

/** Request judgements of both members, and remember them. `onchange` is called with each. */
function makeJudge({ model, nameOf, onchange }) {
  const known = new Map();
  let timer = null;
  const asked = (trials) => `${model()} ${keyOf(trials)}`;
  const found = (trials) => known.get(asked(trials));
  async function find(trials, name) {
    const key = asked(trials);
    known.set(key, { waiting: true });
    if (known.size > MOST_KNOWN) known.delete(known.keys().next().value);
    try {
      known.set(key, { film: await ask("/judge", { trials, model: model(), name }) });
    } catch (error) {
      known.set(key, { problem: error.message });
    }
    onchange();
  }
  function judge(members) {
    clearTimeout(timer);
    timer = setTimeout(() => {
      members.forEach((trials, at) => found(trials) ?? find(trials, nameOf(at)));
      onchange();
    }, MOMENT);
  }
  return { judge, found };
}

/** Make the panel with both members, and the explanation of the current one's judgement. */
function makeVerdicts({ judge, turnTo, vary, drop }) {
  const members = make("div", { class: "members-bar", role: "group", "aria-label": "Episodes" });
  const told = make("p", { class: "told sentence", "aria-live": "polite" });
  const goals = make("ul", { class: "goals", "aria-label": "What the agent wants" });
  const why = make("div", { class: "why" });
  let shown = null;
  const buttons = Object.entries(VARIATIONS).map(([manner, title]) =>
    make("button", { type: "button", class: `vary ${manner}`, title, onclick: () => vary(manner) }, {
      swap: "swap the goal",
      straighten: "straighten",
      detour: "detour",
    }[manner]),
  );
  const making = make(
    "div",
    { class: "bar editing", role: "group", "aria-label": "Make the other episode of a pair" },
    make("span", { class: "note" }, "Make the other episode of a pair:"),
    buttons,
    make("button", { type: "button", class: "drop", onclick: drop }, "drop it"),
  );
  function show(state, frame) {
    members.replaceChildren(...state.members.map((trials, at) => memberButton(state, trials, at)));
    making.querySelector(".drop").hidden = state.members.length < 2;
    const { film, problem } = judge.found(trialsOf(state)) ?? {};
    const trial = film?.trials[state.trial];
    const unjudged = film?.missing ? ` Not judged: ${film.missing}.` : "";
    say(told, problem ?? (trial ? trial.summary + unjudged : ""));
    told.classList.toggle("problem", Boolean(problem));
    goals.replaceChildren(...(trial ? wanted(film, trial, frame) : []));
    if (film === shown) return;
    shown = film;
    why.replaceChildren(...(film ? [makeParts(film) ?? ""] : []));
  }
  function memberButton(state, trials, at) {
    const { film, waiting } = judge.found(trials) ?? { waiting: true };
    const known = film?.plausibility ?? null;
    const value = known !== null ? three(known) : film?.missing ? "missing" : waiting ? "…" : "–";
    const fill = make("span", { class: "fill" });
    fill.style.width = `${round(100 * (known ?? 0))}%`;
    const button = make(
      "button",
      { type: "button", class: "one-member", onclick: () => turnTo(at) },
      make("span", {}, state.members.length < 2 ? "Plausibility" : ["First", "Second"][at]),
      make("b", {}, value),
      make("span", { class: "meter", "aria-hidden": "true" }, fill),
    );
    mark(button, at === state.current);
    return button;
  }
  const node = make(
    "section",
    { class: "verdicts", "aria-label": "Judgement" },
    members,
    making,
    told,
    goals,
    why,
  );
  return { node, show };
}

/** Return a line for each goal, with its probability at a frame. */
function wanted(film, trial, frame) {
  const { goals, goal } = trial.beliefs;
  const row = goal[stepAt(trial, frame)];
  return goals.map((item, at) => {
    const fill = make("span", { class: "fill" });
    fill.style.width = `${round(100 * row[at])}%`;
    const meter = make("span", { class: "meter", "aria-hidden": "true" }, fill);
    const { name } = film.items[item];
    return make("li", {}, icon(film.items[item]), make("span", {}, name), meter, three(row[at]));
  });
}
