// Beliefs about company: where the agent thinks things are, who helps it, what moves it.

const ATTITUDES = ["hinders", "neutral", "helps"];
const BAR = { width: 18, height: 3.6 };

/** Draw a ghost of each object where the agent believes it to be, until it sees the truth. */
function layGhosts(film, trial) {
  const ghosts = (trial.mind?.ghosts ?? []).map(([index, x, y, chance, from, until]) => {
    return { node: ghost(film, trial, trial.objects[index], { x, y, chance }), from, until };
  });
  function show(at) {
    for (const { node, from, until } of ghosts) {
      node.classList.toggle("gone", Math.floor(at) < from || Math.floor(at) >= until);
    }
  }
  return { nodes: ghosts.map(({ node }) => node), show };
}

function ghost(film, trial, thing, { x, y, chance }) {
  const name = thing.item === null ? thing.shape : film.items[thing.item].name;
  const told = `${trial.agent.name} believes the ${name} to be here: ${perCent(chance)}`;
  const body = drawThing(thing, { class: "thing ghost", opacity: round(0.25 + 0.75 * chance) });
  const text = draw("text", { class: "label", y: -thing.r - 3.5, "text-anchor": "middle" });
  text.append(`believed ${Math.round(100 * chance)} %`);
  const node = draw("g", { class: "belief" }, body, text, draw("title", {}, told));
  return place(node, { x, y });
}

/** Draw a bar next to each other agent: P(hinders), P(neutral) and P(helps). */
function layAttitudes(trial) {
  const bars = (trial.mind?.attitudes ?? []).map(([index, chances]) => {
    const parts = ATTITUDES.map((name) => draw("rect", { class: name, height: BAR.height }));
    const frame = draw("rect", { class: "around", ...BAR });
    const title = draw("title");
    const node = draw("g", { class: "attitude" }, parts, frame, title);
    return { node, parts, title, chances, other: trial.others[index] };
  });
  function show(at, step) {
    for (const { node, parts, title, chances, other } of bars) {
      const where = placeAt(other.path, at);
      node.classList.toggle("gone", where === null);
      if (!where) continue;
      const x0 = clamp(where[0] - BAR.width / 2, 1, trial.size[0] - BAR.width - 1);
      const above = other.height / 2 + BAR.height + (other.item === undefined ? 4 : RING_GAP + 4);
      place(node, { x: x0, y: Math.max(where[1] - above, 1) });
      let x = 0;
      chances[step].forEach((chance, index) => {
        set(parts[index], { x: round(x), width: round(chance * BAR.width) });
        x += chance * BAR.width;
      });
      say(title, `${other.name}: ${attitudeText(chances[step])}`);
    }
  }
  return { nodes: bars.map(({ node }) => node), show };
}

const attitudeText = (chances) =>
  ATTITUDES.map((name, index) => `${name} ${perCent(chances[index])}`).join(", ");

/** Return whether the line below the scene has anything about company. */
const hasMind = (film) => film.trials.some((trial) => trial.mind || trial.viewed || hasSight(trial));

/** Return, in words, what moves the agent, if that is uncertain. */
const causeText = (trial, step) =>
  trial.mind ? `moves by itself: ${trial.mind.cause[step].toFixed(2)}` : "";

/** Make the line below the scene: what moves the agent, and whether to show what it sees. */
function makeCaption(film, world) {
  const cause = make("span", { class: "cause" });
  const box = make("input", { type: "checkbox", onchange: () => world.showSight(box.checked) });
  box.checked = true;
  const seeing = make("label", { class: "seeing", title: "Lines of sight; the rest is pale (S)" });
  seeing.append(box, "what it sees");
  const keys = ATTITUDES.map((name) => make("span", { class: `key ${name}` }, name));
  const attitudes = make("span", { class: "attitudes" }, keys);
  const unseen = make("span", {}, "hidden from the observer");
  const node = make("p", { class: "company-bar" }, cause, attitudes, unseen, seeing);
  function show(trial, frame) {
    say(cause, causeText(trial, stepAt(trial, frame)));
    seeing.hidden = !hasSight(trial);
    attitudes.hidden = !trial.mind?.attitudes.length;
    unseen.hidden = trial.viewed?.[frame] !== 0;
    node.hidden = !trial.mind && !trial.viewed && seeing.hidden;
  }
  return { node, show, toggle: () => box.click() };
}
