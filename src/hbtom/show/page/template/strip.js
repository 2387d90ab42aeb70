// All trials in a row: a small picture of each, and below it the preferences learnt so far.

const PREFERENCE_HEIGHT = 54;

/** Make the strip of a film. `offset` empty slots come first, so that test trials line up. */
function makeStrip(film, offset, onseek) {
  const columns = film.trials.map((trial, index) =>
    makeColumn(film, trial, index + offset, onseek),
  );
  const gaps = Array.from({ length: offset }, () => make("li", { class: "gap" }));
  const list = make(
    "ol",
    { class: "trials" },
    gaps,
    columns.map((column) => column.node),
  );
  const labels = preferenceLabels();
  const node = make("nav", { class: "strip", "aria-label": `${capital(TRIAL)}s` }, list, labels.node);
  node.style.setProperty("--columns", film.trials.length + offset);

  function show(trial, frame) {
    for (const column of columns) column.show(trial, frame);
    labels.show(film, trial, frame);
  }
  return { node, show };
}

function makeColumn(film, trial, slot, onseek) {
    const before = film.trials[trial.number - 2]?.agent.name ?? trial.agent.name;
  const isOther = before !== trial.agent.name;
  const button = make(
    "button",
    {
      type: "button",
      class: trial.isTest ? "trial test" : "trial",
      title: trial.summary,
      "aria-label": `${trialName(trial.number, trial.isTest)}: ${trial.summary}`,
      onclick: () => onseek(slot, 0),
    },
    thumbnail(trial),
    make("span", { class: "number" }, trialMark(trial), isOther ? make("i", {}, " new agent") : null),
  );
  const chart = preferenceChart(film, trial);
  drag(chart.svg, (x) => onseek(slot, chart.frameAt(x)));
  const node = make("li", {}, button, chart.svg);
  function show(now, frame) {
    const here = now === trial;
    node.classList.toggle("current", here);
    mark(button, here);
    chart.show(here ? frame : null);
  }
  return { node, show };
}

/** Draw the expected preferences at each step of a trial, as wide as its small picture. */
function preferenceChart(film, trial) {
  const [width, height] = [100, PREFERENCE_HEIGHT];
  const { frame, preferred, preference } = trial.beliefs;
  const last = Math.max(trial.frames - 1, 1);
  const x = (at) => round((width * at) / last);
  const y = (share) => round(height - 4 + (8 - height) * share);
  const lines = preferred.map((item, index) =>
    draw("path", {
      class: `series ${toneOf(film, item)} dash-${film.items[item].dash}`,
      d: stairs(
        frame,
        preference.map((row) => row[index]),
        x,
        y,
        width,
      ),
    }),
  );
  const cursor = draw("line", { class: "cursor", y1: 0, y2: height });
  const end = preference[preference.length - 1];
  const told = preferred.map((item, index) => `${film.items[item].name} ${perCent(end[index])}`);
  const svg = draw(
    "svg",
    {
      class: "preference",
      viewBox: `0 0 ${width} ${height}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": `Preference after ${TRIAL} ${trial.number}: ${told.join(", ")}`,
    },
    draw("line", { class: "zero", x1: 0, x2: width, y1: y(0), y2: y(0) }),
    draw("line", { class: "zero", x1: 0, x2: width, y1: y(1), y2: y(1) }),
    lines,
    cursor,
  );
  return {
    svg,
    show: (at) => {
      cursor.classList.toggle("gone", at === null);
      if (at !== null) set(cursor, { x1: x(at), x2: x(at) });
    },
    frameAt: (place) => clamp(Math.round((place / width) * last), 0, trial.frames - 1),
  };
}

/** Label the lines with the current preferences, and name the agent. */
function preferenceLabels() {
  const title = make("p", { class: "side-title" });
  const list = make("ul", { class: "preferred" });
  let shown = null;
  function show(film, trial, frame) {
    const { preferred, preference } = trial.beliefs;
    const now = preference[stepAt(trial, frame)];
    if (now === shown) return;
    shown = now;
    title.replaceChildren("Preferred by ", icon(trial.agent), ` ${trial.agent.name}`);
    list.replaceChildren(
      ...preferred.map((item, index) =>
        make(
          "li",
          { class: toneOf(film, item) },
          make("b", {}, icon(film.items[item]), ` ${film.items[item].name}`),
          make("span", {}, perCent(now[index])),
        ),
      ),
    );
  }
  return { node: make("div", { class: "strip-side" }, title, list), show };
}
