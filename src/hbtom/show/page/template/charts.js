// Beliefs over the course of a trial. All charts share one time axis and one cursor.

const marginOf = (width) => ({ left: 46, right: width < 420 ? 98 : 104 });
const LINE_HEIGHT = 14;
const AXIS_HEIGHT = 18;
const LEGENDS = {
  efficiency: "Darker: more probable.",
  foresight: "Steps that it foresees; darker: more probable.",
  surprise: "Ring: the maximum, which counts. Grey, below 0: likelier than chance.",
};

/**
 * Make the charts of a film. `show(trial, at)` moves the cursor. `onpeek(frame)` is called when the
 * mouse moves, with null when it leaves; `onseek(frame)` when it clicks or drags. The chart named
 * `decisive` comes first.
 */
function makeCharts(film, { decisive, onseek, onpeek }) {
  const rows = Math.min(film.efficiencies.length, 16);
  const deeds = film.trials.some((trial) => trial.deeds?.length)
    ? [makeChart("Who does what?", "deeds", deedHeights, drawDeeds)]
    : [];
  const places = film.trials.some((trial) => trial.beliefs.aims)
    ? [makeChart("Where does it look for it?", "places", placeHeights, drawPlaces)]
    : [];
  const depths = film.foresights?.length ?? 0;
  const foresight = depths
    ? [makeChart("How far does it plan ahead?", "foresight", [13 * depths, 17 * depths], drawForesight)]
    : [];
  const charts = [
    ...deeds,
    makeChart("What does it want?", "goal", goalHeights, drawGoal),
    ...places,
    makeChart("How efficiently does it act?", "efficiency", [13 * rows, 18 * rows], drawEfficiency),
    ...foresight,
    makeChart("How surprising is it?", "surprise", [150, 216], drawSurprise),
  ];
  const first = charts.findIndex((chart) => chart.kind === decisive);
  charts.unshift(...charts.splice(first, 1));
  const node = make(
    "div",
    { class: "charts" },
    charts.map((chart) => chart.node),
    makeSaving(film, charts),
  );
  let trial = null;
  let at = 0;

  function layout() {
    if (!trial) return;
    const width = Math.max(node.clientWidth, 220);
    for (const chart of charts) chart.layout(film, trial, width, chart === charts.at(-1));
    show(trial, at);
  }
  function show(now, time) {
    at = time;
    if (now !== trial) {
      trial = now;
      layout();
      return;
    }
    for (const chart of charts) chart.show(film, trial, Math.floor(at));
  }
  for (const chart of charts) {
    drag(chart.svg, (x) => onseek(chart.frameAt(x)));
    hover(chart.svg, (x) => onpeek(x === null ? null : chart.frameAt(x)));
  }
  new ResizeObserver(layout).observe(node);
  addEventListener("resize", layout);
  return { node, show };
}

/**
 * Make one chart: a question, the values at the cursor, and a drawing with cursor and veil.
 * `heights` are the least and largest height, or a function of the trial; height 0 hides the chart.
 */
function makeChart(question, kind, heights, drawInside) {
  const value = make("p", { class: "value" });
  const svg = draw("svg", { class: `chart ${kind}`, role: "img" });
  const legend = LEGENDS[kind] ? make("p", { class: "note" }, LEGENDS[kind]) : null;
  const heading = make("figcaption", {}, make("h3", {}, question), value, legend);
  const node = make("figure", { class: `chart-box ${kind}` }, heading, svg);
  let scale = null;
  let inside = null;
  let veil = null;
  let cursor = null;

  function layout(film, trial, width, isLast) {
    const [least, most] = typeof heights === "function" ? heights(trial) : heights;
    node.hidden = most === 0;
    const height = Math.round(least + (most - least) * roominess());
    const whole = height + (isLast ? AXIS_HEIGHT : 0);
    scale = timeScale(trial, width);
    set(svg, { viewBox: `0 0 ${width} ${whole}`, width, height: whole });
    inside = drawInside(film, trial, scale, height);
    veil = draw("rect", { class: "veil", y: 0, height });
    cursor = draw("line", { class: "cursor", y1: 0, y2: height });
    const axis = isLast ? [timeAxis(scale, height)] : [];
    svg.replaceChildren(...inside.below, ...axis, veil, cursor, ...inside.above);
  }
  function show(film, trial, frame) {
    const x = scale.x(frame);
    set(veil, { x, width: Math.max(scale.right - x, 0) });
    set(cursor, { x1: x, x2: x });
    const step = stepAt(trial, frame);
    inside.show?.(step, x);
    const text = inside.value(step, frame);
    say(value, text);
    set(svg, { "aria-label": `${question} ${text}` });
  }
  return { node, svg, kind, question, layout, show, frameAt: (x) => scale.frame(x) };
}

/** Return how much room the window has for charts, from 0 to 1. */
const roominess = () => (innerWidth < 860 ? 0 : clamp((innerHeight - 800) / 280, 0, 1));

function timeScale(trial, width) {
  const margin = marginOf(width);
  const [left, right] = [margin.left, width - margin.right];
  const last = Math.max(trial.span - 1 + LINGER, 1); // the longer of a pair
  const x = (frame) => round(left + ((right - left) * frame) / last);
  return {
    left,
    right,
    last,
    room: margin.right - 10, // for labels
    x,
    end: x(Math.max(trial.frames - 1 + LINGER, 1)),
    frame: (x) => clamp(Math.round(((x - left) / (right - left)) * last), 0, trial.frames - 1),
  };
}

function timeAxis(scale, y) {
  const every = TICKS.find((n) => (scale.last + 1) / n <= 7) ?? 5000;
  const axis = draw("g", { class: "axis" });
  axis.append(draw("line", { x1: scale.left, x2: scale.right, y1: y, y2: y }));
  for (let frame = every; frame <= scale.last + 1; frame += every) {
    const x = scale.x(frame - FIRST);
    axis.append(
      draw("line", { x1: x, x2: x, y1: y, y2: y + 3 }),
      draw("text", { x, y: y + 14, "text-anchor": "middle" }, String(frame)),
    );
  }
  axis.append(draw("text", { x: scale.left - 6, y: y + 14, "text-anchor": "end" }, UNIT));
  return axis;
}

/** Return the x coordinate of an event in a drawing. */
function placeIn(svg, event) {
  const bounds = svg.getBoundingClientRect();
  return ((event.clientX - bounds.left) * svg.viewBox.baseVal.width) / bounds.width;
}

/** Call back with the position of the pointer when it clicks on a drawing or is dragged. */
function drag(svg, onplace) {
  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    svg.setPointerCapture(event.pointerId);
    onplace(placeIn(svg, event));
  });
  svg.addEventListener("pointermove", (event) => {
    if (svg.hasPointerCapture(event.pointerId)) onplace(placeIn(svg, event));
  });
}

/** Call back with the position of a mouse over a drawing, or null when it leaves. */
function hover(svg, onplace) {
  svg.addEventListener("pointermove", (event) => {
    if (event.pointerType === "mouse" && event.buttons === 0) onplace(placeIn(svg, event));
  });
  svg.addEventListener("pointerleave", () => onplace(null));
}

/** Return a staircase: each value holds from its frame until the next. */
function stairs(frames, values, x, y, end) {
  let line = "";
  values.forEach((value, index) => {
    line += index ? `H${x(frames[index])}V${y(value)}` : `M${x(frames[0])} ${y(value)}`;
  });
  return `${line}H${end}`;
}

/** Put labels at the ends of lines, pushed apart so that they do not overlap. */
function endLabels(labels, scale, top, bottom) {
  const sorted = labels.toSorted((a, b) => a.y - b.y);
  sorted.forEach((one, index) => {
    const least = index ? sorted[index - 1].at + LINE_HEIGHT : top;
    one.at = Math.max(one.y, least);
  });
  sorted.reverse().forEach((one, index) => {
    one.at = Math.min(one.at, index ? sorted[index - 1].at - LINE_HEIGHT : bottom);
  });
  return labels.map(({ text, tone, at, faint }) => {
    const kind = `end-label ${tone}${faint ? " faint" : ""}`;
    return draw(
      "text",
      { class: kind, x: scale.right + 7, y: round(at + 4) },
      shortened(text, scale.room),
    );
  });
}

const LETTER = 7.1; // pixels, about
const shortened = (text, room) =>
  text.length * LETTER <= room ? text : `${text.slice(0, Math.floor(room / LETTER) - 1)}…`;

function gridLine(scale, y, text) {
  return draw(
    "g",
    { class: "grid" },
    draw("line", { x1: scale.left, x2: scale.right, y1: y, y2: y }),
    draw("text", { x: scale.left - 6, y: y + 4, "text-anchor": "end" }, text),
  );
}
