// The judgement: the plausibility of the test trial, its parts, and the story.

const PARTS = {
  goal: {
    name: "Goal",
    question: "Did it want what it was expected to want?",
    where: "Did it look for it where it was expected to?",
    both: "Did it want what it was expected to want, and look for it where expected?",
    scale: "0: as expected; 1: completely unexpected",
  },
  efficiency: {
    name: "Efficiency",
    question: "Did it act as efficiently as expected?",
    scale: "0: as expected; 1: completely unexpected",
  },
  observation: {
    name: "Observation",
    question: "Was every step likely, whatever its goal?",
    scale: {
      grid: "0: certain; larger: less likely",
      continuous: "0: as likely as chance; larger: less likely",
    },
  },
  waste: {
    name: "Waste",
    question: "Did it waste no more effort than expected?",
    scale: "0: it often wastes this much; 3: 1 time in 20; 7: 1 time in 1,000",
  },
};

/** Make the heading of a film: its name, and its plausibility as a number and a bar. */
function makeHeading(film) {
  const share = `${round(100 * film.plausibility)}%`;
  const fill = make("span", { class: "fill" });
  fill.style.width = share;
  return make(
    "header",
    { class: "heading" },
    make("h2", { title: film.name }, film.name),
    film.plausibility === null
      ? film.missing
        ? make("p", { class: "note" }, `Not judged: ${film.missing}.`)
        : null
      : make(
          "p",
          { class: "plausibility" },
          make("span", { class: "word" }, "plausibility", make("i", {}, JUDGED)),
          make("b", {}, three(film.plausibility)),
          make("span", { class: "meter", "aria-hidden": "true" }, fill),
        ),
  );
}

/** Make the panel that explains the plausibility by its parts. */
function makeParts(film) {
  const warnings = film.warnings.map((warning) => make("li", {}, warning));
  const warned = warnings.length ? make("ul", { class: "warnings" }, warnings) : null;
  if (!film.parts) return warned && make("section", { class: "parts" }, warned);
  const parts = Object.keys(film.parts).map((kind) => makePart(film, kind));
  const product = Object.values(film.parts).map(three).join(" × ");
  return make(
    "section",
    { class: "parts" },
    make("h3", {}, "Why this plausibility?"),
    make(
      "p",
      { class: "equation" },
      make("b", {}, three(film.plausibility)),
      ` = ${product}`,
      make("span", { class: "note" }, `Meant for comparing ${TRIAL}s, not as a probability.`),
    ),
    make("div", { class: "cards" }, parts),
    warned,
  );
}

function makePart(film, kind) {
  const { name, question, scale } = PARTS[kind];
  const { aims, goals } = film.trials.at(-1).beliefs;
  const asked = aims && (goals.length > 1 ? "both" : "where");
  const value = film.surprise[kind];
  const ignored = film.curves[kind].weight === 0;
  const unit = typeof scale === "string" ? scale : (scale[film.motion] ?? scale.continuous);
  return make(
    "article",
    { class: ignored ? "part ignored" : "part" },
    make("h4", {}, name, make("b", {}, three(film.parts[kind]))),
    make("p", {}, PARTS[kind][asked] ?? question),
    curve(film.curves[kind], value, kind),
    make("p", { class: "note" }, `Surprise ${decimals(value, 2)} (${unit}).`),
    ignored
      ? make("p", { class: "note" }, "This model reports it but does not count it.")
      : null,
  );
}

/** Return the range in which a surprise is drawn. */
function rangeOf(kind, value) {
  if (kind === "observation") return [Math.min(-1, value), Math.max(6, value)];
  return [0, kind === "waste" ? Math.max(6, value) : 1];
}

/** Draw how a part falls as its surprise grows, and mark this trial. */
function curve({ weight, bias }, value, kind) {
  const [width, height] = [200, 62];
  const [low, high] = rangeOf(kind, value);
  const part = (surprise) => 1 / (1 + Math.exp(-(weight * surprise + bias)));
  const x = (surprise) => round(6 + ((width - 12) * (surprise - low)) / (high - low));
  const y = (share) => round(height - 14 + (20 - height) * share);
  const points = Array.from({ length: 61 }, (_, index) => low + ((high - low) * index) / 60);
  const line = points.map((point) => `${x(point)} ${y(part(point))}`).join("L");
  return draw(
    "svg",
    { class: "curve", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
    draw("line", { class: "zero", x1: 6, x2: width - 6, y1: y(0), y2: y(0) }),
    draw("line", { class: "drop", x1: x(value), x2: x(value), y1: y(part(value)), y2: y(0) }),
    draw("path", { class: "line", d: `M${line}` }),
    draw("circle", { class: "here", cx: x(value), cy: y(part(value)), r: 4 }),
    draw("text", { class: "tick", x: 6, y: height - 2 }, decimals(low, low % 1 ? 1 : 0)),
    draw(
      "text",
      { class: "tick", x: width - 6, y: height - 2, "text-anchor": "end" },
      decimals(high, high % 1 ? 1 : 0),
    ),
    draw(
      "text",
      { class: "tick", x: width / 2, y: height - 2, "text-anchor": "middle" },
      "surprise",
    ),
  );
}

/** Make the story: a sentence for each trial, and all moments of the current one. */
function makeStory(film, offset, onseek) {
  const chapters = film.trials.map((trial, index) => makeChapter(trial, index + offset, onseek));
  const list = make(
    "ol",
    { class: "chapters" },
    chapters.map((chapter) => chapter.node),
  );
  const node = make("section", { class: "story" }, make("h3", {}, "The story"), list);
  function show(trial, frame) {
    for (const chapter of chapters) chapter.show(trial, frame);
  }
  return { node, show };
}

function makeChapter(trial, slot, onseek) {
  const seek = (frame) => () => onseek(slot, frame);
  const moments = trial.moments.map((moment) => {
    const button = make(
      "button",
      { type: "button", onclick: seek(moment.frame) },
      make("span", { class: "frame" }, String(moment.frame + FIRST)),
      make("span", {}, moment.text),
    );
    return { ...moment, node: make("li", { class: moment.kind }, button), button };
  });
  const heading = make(
    "button",
    { type: "button", class: "summary", onclick: seek(0) },
    make("span", { class: "frame" }, trialMark(trial)),
    make("span", {}, trial.summary),
  );
  const list = make(
    "ol",
    { class: "moments" },
    moments.map((moment) => moment.node),
  );
  const node = make("li", { class: trial.isTest ? "chapter test" : "chapter" }, heading, list);
  function show(now, frame) {
    const here = now === trial;
    node.classList.toggle("current", here);
    const said = moments.filter((moment) => here && moment.frame <= frame);
    for (const moment of moments) mark(moment.button, moment.frame === said.at(-1)?.frame);
  }
  return { node, show };
}
