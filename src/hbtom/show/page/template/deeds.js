// Deeds: a row for each agent that does something, on the time axis of the charts.

const DEED_ROW = 20;
const MOMENTS = ["push", "start", "comes", "leaves", "reach"]; // these take no time

/** Return the agents that do something, and their deeds; being away does not count. */
function deedRows(trial) {
  const agents = [trial.agent, ...trial.others.filter(({ kind }) => kind === "agent")];
  const nobody = { name: "nobody", rgb: [128, 128, 128] };
  return [...agents.keys(), null]
    .map((actor) => ({
      ...(actor === null ? nobody : agents[actor]),
      deeds: (trial.deeds ?? []).filter((deed) => deed.actor === actor),
    }))
    .filter(({ deeds }) => deeds.some(({ kind }) => kind !== "away"));
}

const deedHeights = (trial) => Array(2).fill(deedRows(trial).length * DEED_ROW);

function drawDeeds(film, trial, scale) {
  const rows = deedRows(trial);
  const below = rows.flatMap(({ deeds, rgb }, index) => {
    const y = (index + 0.5) * DEED_ROW;
    const line = draw("line", { class: "zero", x1: scale.left, x2: scale.right, y1: y, y2: y });
    return [line, ...deeds.map((deed) => drawDeed(deed, deeds, scale, { y, rgb }))];
  });
  const names = rows.map(({ name }, index) => {
    const at = { x: scale.right + 7, y: (index + 0.5) * DEED_ROW + 4 };
    return draw("text", { class: "end-label plain", ...at }, shortened(name, scale.room));
  });
  const isNow = (frame) => (deed) => deed.first <= frame && frame <= deed.last;
  return {
    below,
    above: names,
    value: (step, frame) =>
      rows
        .flatMap(({ name, deeds }) =>
          deeds.filter(isNow(frame)).map(({ words }) => `${name} ${words}`),
        )
        .join(" · "),
  };
}

/** Return the side of a moment on which there is room for words; null if there is none. */
function freeSide(first, deeds, scale, room) {
  const starts = deeds.map((deed) => deed.first).filter((other) => other > first);
  const ends = deeds.map((deed) => deed.last).filter((other) => other < first);
  const from = scale.x(first);
  if (from + room < Math.min(scale.x(Math.min(...starts)), scale.right)) return "after";
  return from - room > Math.max(scale.x(Math.max(...ends)), scale.left) ? "before" : null;
}

/** Draw a deed as a bar, or as a diamond if it takes no time, with words if there is room. */
function drawDeed({ first, last, kind, words }, deeds, scale, { y, rgb }) {
  const [from, to] = [scale.x(first), scale.x(last)];
  const fill = `rgb(${rgb.join(" ")})`;
  const frames = last > first ? `frames ${first + 1} to ${last + 1}` : `frame ${first + 1}`;
  const title = draw("title", {}, `${words}, ${frames}`);
  const room = words.length * LETTER + 10;
  if (MOMENTS.includes(kind)) {
    const side = freeSide(first, deeds, scale, room);
    const text = { class: `beside ${side}`, x: from + (side === "before" ? -8 : 8), y: y + 4 };
    return draw(
      "g",
      { class: "deed" },
      draw("path", { d: `M${from} ${y - 7}l5 7l-5 7l-5-7Z`, fill }),
      side ? draw("text", text, words) : null,
      title,
    );
  }
  const tall = kind === "away" ? 4 : 15;
  const where = { x: from, y: y - tall / 2, width: Math.max(to - from, 2), height: tall };
  const text = { class: isBright(rgb) ? "dark" : "light", x: round((from + to) / 2), y: y + 4 };
  return draw(
    "g",
    { class: `deed ${kind}` },
    draw("rect", { ...where, rx: 3, fill: kind === "away" ? "currentColor" : fill }),
    kind !== "away" && room <= to - from ? draw("text", text, words) : null,
    title,
  );
}
