// The row of trials, and time within a trial.

const EVERY_FRAME = 40; // milliseconds

/** Make the row of trials, with buttons that copy, move and remove the current one. */
function makeTrials({ turn, copy, shift, remove }) {
  const list = make("ol", { class: "trials" });
  const button = (name, title, onclick) =>
    make("button", { type: "button", class: name, title, "aria-label": title, onclick }, title);
  const buttons = {
    copy: button("copy", "Copy this trial", copy),
    before: button("before", "Move it earlier", () => shift(-1)),
    after: button("after", "Move it later", () => shift(1)),
    remove: button("remove", "Remove it", remove),
  };
  function show(state) {
    const trials = trialsOf(state);
    list.style.setProperty("--columns", Math.max(trials.length, 9));
    list.replaceChildren(
      ...trials.map((id, at) => {
        const last = at === trials.length - 1;
        const here = at === state.trial;
        const number = make("span", { class: "number" }, last ? "Test" : String(at + 1));
        const told = { type: "button", class: last ? "trial test" : "trial" };
        const one = make(
          "button",
          { ...told, onclick: () => turn(at), "aria-label": last ? "Test trial" : `Trial ${at + 1}` },
          thumbnail(views.get(id)),
          number,
        );
        mark(one, here);
        return make("li", { class: here ? "current" : "" }, one);
      }),
    );
    buttons.remove.disabled = trials.length < 2;
    buttons.before.disabled = state.trial === 0;
    buttons.after.disabled = state.trial === trials.length - 1;
  }
  const node = make(
    "section",
    { class: "row", "aria-label": "Trials" },
    list,
    make("div", { class: "bar editing" }, Object.values(buttons)),
  );
  return { node, show };
}

/** Make the slider and the button that plays a trial. */
function makeTime(onchange) {
  const slider = make("input", { type: "range", min: 0, value: 0, "aria-label": "Frame" });
  const told = make("output", { class: "frame" });
  const button = make("button", { type: "button", class: "go", onclick: () => play() }, "▶");
  let timer = null;
  slider.addEventListener("input", () => {
    stop();
    onchange();
  });
  function stop() {
    clearInterval(timer);
    timer = null;
    say(button, "▶");
    set(button, { "aria-label": "Play", title: "Play (Space)" });
  }
  function play() {
    if (timer) return stop();
    if (slider.valueAsNumber >= slider.max) slider.value = 0;
    say(button, "❚❚");
    set(button, { "aria-label": "Pause", title: "Pause (Space)" });
    timer = setInterval(() => {
      slider.value = slider.valueAsNumber + 1;
      if (slider.valueAsNumber >= slider.max) stop();
      onchange();
    }, EVERY_FRAME);
  }
  function show(view) {
    slider.max = view.frames - 1;
    say(told, `frame ${slider.valueAsNumber + 1} of ${view.frames}`);
  }
  stop();
  const node = make("div", { class: "time" }, button, slider, told);
  return { node, show, play, frame: () => slider.valueAsNumber };
}
