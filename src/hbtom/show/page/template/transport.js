// Controls for time: keys, and the bar at the bottom of the page.

const LEAP = 10; // frames

const KEYS = [
  ["Space", "play or pause"],
  ["← →", `one ${UNIT} back or forward`],
  ["Shift + ← →", `ten ${UNIT}s back or forward`],
  [",  .", "one step of the agent back or forward"],
  ["[ ]  or  Page Up, Page Down", `previous or next ${TRIAL}`],
  ["Home End", `first or last ${UNIT} of the ${TRIAL}`],
  ["+ −", "faster or slower"],
  ["T", "switch between light and dark"],
  ["?", "this help"],
];

const SIGHT_KEY = ["S", "show or hide what the agent sees"]; // if it does not see everything

/** Let keys control time, except those that scroll the page and those of the browser. */
function steerByKeys(player, { help, sight, theme }) {
  const deeds = {
    " ": () => player.toggle(),
    ArrowLeft: (event) => player.nudge(event.shiftKey ? -LEAP : -1),
    ArrowRight: (event) => player.nudge(event.shiftKey ? LEAP : 1),
    ",": () => player.nudgeStep(-1),
    ".": () => player.nudgeStep(1),
    "[": () => player.trial(-1),
    "]": () => player.trial(1),
    PageUp: () => player.trial(-1),
    PageDown: () => player.trial(1),
    Home: () => player.first(),
    End: () => player.last(),
    "+": () => player.changeSpeed(1),
    "=": () => player.changeSpeed(1),
    "-": () => player.changeSpeed(-1),
    "?": () => help(),
    s: () => sight(),
    S: () => sight(),
    t: () => theme(),
    T: () => theme(),
  };
  document.addEventListener("keydown", (event) => {
    const deed = Object.hasOwn(deeds, event.key) ? deeds[event.key] : null;
    if (!deed || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]")) return;
    const onButton = event.key === " " && event.target.closest("button, input[type=checkbox]");
    if (onButton) return; // the space bar presses the focused button
    event.preventDefault();
    deed(event);
  });
  document.addEventListener("click", (event) => {
    // A clicked button gives up the focus, so that the space bar does not press it again.
    if (event.detail > 0) event.target.closest("button, input[type=checkbox]")?.blur();
  });
}

/** Make the bar that controls time. */
function makeTransport(player, { lengths, marks, nameOf }) {
  const { state } = player;
  const button = (text, label, deed) =>
    make("button", { type: "button", "aria-label": label, title: label, onclick: deed }, text);
  const play = button("", "Play", () => player.toggle());
  play.className = "play";
  const range = make("input", {
    type: "range",
    min: 0,
    step: 1,
    "aria-label": capital(UNIT),
    oninput: () => player.scrub(state.slot, Number(range.value)),
  });
  const ticks = make("div", { class: "ticks", "aria-hidden": "true" });
  const trial = make("span", { class: "trial-name" });
  const frame = make("span", {});
  const count = make("span", {}, make("span", { class: "wide" }, `${UNIT} `), frame);
  const where = make("div", { class: "where" }, trial, count);
  const speed = make("output", { class: "speed", "aria-label": "Speed" });
  const shorten = make("input", {
    type: "checkbox",
    onchange: () => player.shorten(shorten.checked),
  });
  let slot = null;
  player.listen((now) => {
    if (slot !== now.slot) {
      slot = now.slot;
      range.max = lengths[slot] - 1;
      ticks.replaceChildren(
        ...marks(slot).map((one) => tickAt(one, Math.max(lengths[slot] - 1, 1))),
      );
    }
    range.value = Math.floor(now.at);
    const told = `${Math.floor(now.at) + FIRST} of ${lengths[slot] - 1 + FIRST}`;
    range.setAttribute("aria-valuetext", `${UNIT} ${told}`);
    say(trial, nameOf(slot));
    say(frame, told);
    say(speed, `${speedText(SPEEDS[now.speed])}×`);
    const label = now.playing ? "Pause" : "Play";
    play.classList.toggle("playing", now.playing);
    set(play, { "aria-label": label, title: `${label} (space bar)` });
    shorten.checked = now.shorten;
  });
  return make(
    "section",
    { class: "transport", "aria-label": "Time" },
    make(
      "div",
      { class: "buttons" },
      button("⟨", `Previous ${TRIAL} ([)`, () => player.trial(-1)),
      play,
      button("⟩", `Next ${TRIAL} (])`, () => player.trial(1)),
    ),
    make("div", { class: "scrubber" }, ticks, range),
    where,
    make(
      "div",
      { class: "speeds" },
      button("−", "Slower (−)", () => player.changeSpeed(-1)),
      speed,
      button("+", "Faster (+)", () => player.changeSpeed(1)),
      HAS_PAUSES
        ? make("label", { title: "Speed up while nothing moves" }, shorten, "shorten pauses")
        : null,
    ),
  );
}

const capital = (word) => word[0].toUpperCase() + word.slice(1);

function tickAt({ frame, kind }, last) {
  const tick = make("i", { class: kind });
  tick.style.left = `${round((100 * frame) / last)}%`;
  return tick;
}

const speedText = (speed) => (speed < 1 ? `1/${1 / speed}` : String(speed));
