// Puts the page together: one film, or two in parallel.

const data = JSON.parse(document.getElementById("data").textContent);
const films = data.films.map(openFilm);
const slots = Math.max(...films.map((film) => film.trials.length));
const offsetOf = (film) => slots - film.trials.length; // test trials line up

/** Return the trials in a slot: one of each film that has started by then. */
const trialsIn = (slot) => films.map((film) => film.trials[slot - offsetOf(film)]).filter(Boolean);
const lengths = Array.from({ length: slots }, (_, slot) =>
  Math.max(...trialsIn(slot).map((trial) => trial.frames)),
);

// Both members of a pair share their axes
for (let slot = 0; slot < slots; slot++) {
  const steps = trialsIn(slot).flatMap((trial) => trial.beliefs.unlikely);
  for (const trial of trialsIn(slot)) {
    trial.span = lengths[slot];
    trial.steps = steps.filter((value) => value !== null);
  }
}

/** Return the chart that best shows why a film, or one of two, is not plausible. */
function decisiveChart() {
  const [one, other] = films;
  if (!one.parts || (other && !other.parts)) return "goal";
  const log = (part) => Math.log(Math.max(part, 1e-300));
  const weigh = (kind) => Math.abs(log(one.parts[kind]) - (other ? log(other.parts[kind]) : 0));
  const kinds = Object.keys(one.parts).sort((a, b) => weigh(b) - weigh(a));
  return { waste: "efficiency", observation: "surprise" }[kinds[0]] ?? kinds[0];
}

const player = makePlayer({
  lengths,
  pauses: (slot, frame) => trialsIn(slot).every((trial) => isPause(trial, frame)),
  steps: (slot) => unique(trialsIn(slot).flatMap((trial) => trial.beliefs.frame.slice(1))),
  onchange: (slot, at) => members.forEach((member) => member.show(slot, at)),
});
const members = films.map(makeMember);

function unique(numbers) {
  return [...new Set(numbers)].sort((a, b) => a - b);
}

/** Return the moments of a slot, one per frame; of several, a deed is preferred. */
function marks(slot) {
  const moments = trialsIn(slot).flatMap((trial) => trial.moments);
  const deeds = moments.filter(({ kind }) => kind === "deed");
  return [...new Map([...moments, ...deeds].map((one) => [one.frame, one])).values()];
}

/** Make everything that belongs to one film. */
function makeMember(film) {
  const offset = offsetOf(film);
  const seek = (slot, frame) => player.scrub(slot, frame);
  const world = makeWorld(film);
  const charts = makeCharts(film, {
    decisive: decisiveChart(),
    onseek: (frame) => seek(player.state.slot, frame),
    onpeek: player.peek,
  });
  const strip = makeStrip(film, offset, seek);
  const story = makeStory(film, offset, seek);
  const sentence = make("p", { class: "sentence", "aria-live": "polite" });
  const caption = makeCaption(film, world);
  const scene = make(
    "figure",
    { class: "scene" },
    world.node,
    make(
      "figcaption",
      {},
      caption.node,
      sentence,
      make(
        "p",
        { class: "note" },
        SCENE_NOTE,
      ),
    ),
  );
  const node = make(
    "section",
    { class: "member", "aria-label": film.name },
    films.length > 1 ? makeHeading(film) : null,
    film.trials.length < LEAST_STRIP ? null : strip.node,
    scene,
    charts.node,
    makeParts(film),
    story.node,
  );
  for (const part of node.children) part.dataset.name = film.name;
  function show(slot, at) {
    const begun = slot >= offset;
    const trial = film.trials[begun ? slot - offset : 0];
    const time = begun ? Math.min(at, trial.frames - 1) : 0;
    const frame = Math.floor(time);
    world.show(trial, time);
    charts.show(trial, frame);
    strip.show(trial, frame);
    story.show(trial, frame);
    caption.show(trial, frame);
    say(sentence, sentenceAt(trial, frame));
  }
  return { node, show, toggleSight: caption.toggle };
}

// Help

if (films.some((film) => film.trials.some(hasSight))) KEYS.splice(-1, 0, SIGHT_KEY);

const dialog = make(
  "dialog",
  {
    class: "help",
    "aria-label": "Keys",
    onclick: (event) => event.target === dialog && dialog.close(),
  },
  make("h3", {}, "Keys"),
  make(
    "dl",
    {},
    KEYS.flatMap(([key, what]) => [make("dt", {}, key), make("dd", {}, what)]),
  ),
  make(
    "p",
    { class: "note" },
    `Click a ${TRIAL}, a sentence or a chart to go there. The address of the page contains the ` +
      "current moment: copy it to share that moment.",
  ),
  make("button", { type: "button", onclick: () => dialog.close() }, "Close"),
);
const help = () => dialog.showModal();

// Printing shows the end of the test trial; afterwards the page is as before

let away = null;
addEventListener("beforeprint", () => {
  away = { ...player.state };
  members.forEach((member) => member.show(slots - 1, lengths[slots - 1] - 1));
});
addEventListener("afterprint", () => {
  if (away) members.forEach((member) => member.show(away.slot, away.at));
});

const differences = make(
  "ul",
  { class: "differences", "aria-label": "Differences" },
  data.differences.map((text) => make("li", {}, text)),
);
const [{ model, fingerprint }] = films;
document.body.classList.toggle("pair", films.length > 1);
document.body.classList.toggle("in-company", films.some(hasMind));
document.body.append(
  make(
    "header",
    { class: "page-bar" },
    make("h1", {}, "hbtom"),
    films.length > 1 ? differences : makeHeading(films[0]),
    makeThemeButton(),
    make("button", { type: "button", onclick: help, title: "Help (?)", "aria-label": "Help" }, "?"),
  ),
  make(
    "main",
    { class: "members" },
    members.map((member) => member.node),
  ),
  make("footer", {}, `Model ${model} (${fingerprint}), hbtom ${data.version}.`),
  makeTransport(player, {
    lengths,
    marks,
    nameOf: (slot) => trialName(slot + 1, slot === slots - 1),
  }),
  dialog,
);
const sight = () => members.forEach((member) => member.toggleSight());
steerByKeys(player, { help, sight, theme: changeTheme });
const named = readAddress();
player.seek(named?.slot ?? slots - 1, named?.at ?? 0);
