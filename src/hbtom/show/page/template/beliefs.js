// Charts of the beliefs during a trial: goal, place, efficiency, surprise.
//
// Each is a function of film, trial, time scale and height. It returns the elements below and above
// the veil, `value(step)`, which puts the values into words, and `show(step, x)` if necessary.

// The goal: one line per item

const goalHeights = (trial) => (trial.beliefs.aims ? [70, 110] : [138, 230]);

function drawGoal(film, trial, scale, height) {
  const { goals, goal, reachable } = trial.beliefs;
  const series = goals.map((item, index) => {
    const [name, values] = [film.items[item].name, goal.map((row) => row[index])];
    const told = reachable[index] ? name : `${name} (out of reach)`;
    const [tone, dash] = [toneOf(film, item), film.items[item].dash];
    return { tone, dash, name, told, values, faint: !reachable[index] };
  });
  return drawShares(trial, scale, height, series);
}

// Where it looks for it: one line per item and place

const placeHeights = (trial) => (trial.beliefs.aims ? [110, 170] : [0, 0]);

function drawPlaces(film, trial, scale, height) {
  const series = (trial.beliefs.aims ?? []).map(([item, place, where, values]) => {
    const name = film.items[item].name;
    const told = where ? `${name} ${where}` : name;
    const tone = toneOf(film, item);
    return { tone, dash: film.items[item].dash + place, name: where || name, told, values };
  });
  return drawShares(trial, scale, height, series);
}

/** Draw probabilities, each as a line with a label at its end. */
function drawShares(trial, scale, height, series) {
  const { frame } = trial.beliefs;
  const [top, bottom] = [8, height - 6];
  const y = (share) => round(bottom + (top - bottom) * share);
  const lines = series.map(({ tone, dash, values }) => {
    const d = stairs(frame, values, scale.x, y, scale.end);
    return draw("path", { class: `series ${tone} dash-${dash % DASHES}`, d });
  });
  const labels = series.map(({ tone, values, name, faint }) => {
    return { tone, y: y(values.at(-1)), faint, text: name };
  });
  const dots = series.map(({ tone }) => draw("circle", { class: `dot ${tone}`, r: 3.6 }));
  return {
    below: [...[0, 0.5, 1].map((share) => gridLine(scale, y(share), `${100 * share} %`)), ...lines],
    above: [...endLabels(labels, scale, top, bottom), ...dots],
    show: (step, x) =>
      series.forEach(({ values }, index) => set(dots[index], { cx: x, cy: y(values[step]) })),
    value: (step) => series.map(({ told, values }) => `${told} ${perCent(values[step])}`).join(" · "),
  };
}

// Efficiency and foresight: a strip for each value; darker is more probable

function drawEfficiency(film, trial, scale, height) {
  const { efficiency } = trial.beliefs;
  const order = film.efficiencies.map((value, index) => index);
  order.sort((a, b) => film.efficiencies[b] - film.efficiencies[a]);
  const mean = efficiency.map((shares) =>
    shares.reduce((sum, share, which) => sum + share * film.efficiencies[which], 0),
  );
  const names = film.efficiencies.map((value) => decimals(value, 1));
  return {
    ...drawShades(trial, scale, height, { shares: efficiency, order, names, ends: ENDS.efficiency }),
    value: (step) => `mean efficiency ${decimals(mean[step], 2)}`,
  };
}

const ENDS = { efficiency: ["direct", "wasteful"], foresight: ["far-sighted", "short-sighted"] };

function drawForesight(film, trial, scale, height) {
  const shares = trial.beliefs.foresight;
  const order = film.foresights.map((name, index) => index).reverse();
  const names = film.foresights.map((name) => (name === "inf" ? "∞" : name));
  const likeliest = shares.map((row) => row.indexOf(Math.max(...row)));
  return {
    ...drawShades(trial, scale, height, { shares, order, names, ends: ENDS.foresight }),
    value: (step) => {
      const which = likeliest[step];
      return `likeliest: ${names[which]} ${names[which] === "1" ? "step" : "steps"}, ${perCent(shares[step][which])}`;
    },
  };
}

/** Draw the probability of each value as a strip, the first of `order` on top. */
function drawShades(trial, scale, height, { shares, order, names, ends }) {
  const { frame } = trial.beliefs;
  const [top, bottom] = [0.5, height - 0.5];
  const tall = (bottom - top) / order.length;
  const cells = order.flatMap((which, row) =>
    shares.map((now, step) => {
      const from = scale.x(frame[step]);
      const to = step + 1 < frame.length ? scale.x(frame[step + 1]) : scale.end;
      const where = { x: from, width: round(to - from), y: round(top + row * tall) };
      return draw("rect", { class: "heat", ...where, height: round(tall), opacity: now[which] });
    }),
  );
  const every = Math.ceil(order.length / 8);
  const numbers = order.map((which, row) => {
    if (row % every) return null;
    const at = {
      x: scale.left - 6,
      y: round(top + (row + 0.5) * tall + 3.5),
      "text-anchor": "end",
    };
    return draw("text", { class: "tick", ...at }, names[which]);
  });
  const words = [
    [ends[0], top + tall / 2 + 3.5],
    [ends[1], bottom - tall / 2 + 4],
  ].map(([text, y]) => draw("text", { class: "end-label plain", x: scale.right + 7, y }, text));
  const frameBox = { x: scale.left, y: top, width: scale.right - scale.left, height: bottom - top };
  return {
    below: [
      draw("rect", { class: "heat-ground", ...frameBox }),
      ...cells,
      ...numbers.filter(Boolean),
    ],
    above: words,
  };
}

// Surprise: how far beliefs have moved since the start, and how unlikely each step is

function drawSurprise(film, trial, scale, height) {
  const { frame, goal_shift, efficiency_shift, unlikely } = trial.beliefs;
  const shift = { frame, low: 0, high: 1, shape: area };
  const steps = {
    frame: [trial.motion ? trial.motion[0] - 1 : 0, ...frame.slice(1)],
    low: Math.min(0, ...trial.steps),
    high: Math.max(1, ...trial.steps),
    shape: bars,
  };
  const rows = [
    { name: trial.beliefs.aims ? "goal, place" : "goal", values: goal_shift, ...shift },
    { name: "efficiency", values: efficiency_shift, ...shift },
    { name: "each step", values: [-Infinity, ...unlikely], ...steps },
  ];
  const tall = height / rows.length;
  const drawn = rows.map((row, index) => {
    const place = { top: index * tall + 6, bottom: (index + 1) * tall - 5 };
    return surpriseRow({ ...row, ...place, scale, isMarked: trial.isTest });
  });
  return {
    below: drawn.flatMap((row) => row.below),
    above: drawn.flatMap((row) => row.above),
    value: (step) => {
      const moved = [goal_shift, efficiency_shift].map((shifts) => decimals(shifts[step], 2));
      const told = `goal shifted by ${moved[0]} · efficiency by ${moved[1]}`;
      return step ? `${told} · last step ${decimals(unlikely[step - 1], 2)}` : told;
    },
  };
}

/** Draw one kind of surprise; in the test trial, its maximum is marked, because it counts. */
function surpriseRow({ name, values, frame, low, high, shape, top, bottom, scale, isMarked }) {
  const y = (value) => round(bottom + ((top - bottom) * ((value ?? high) - low)) / (high - low));
  const most = values.reduce((a, b) => Math.max(a, b ?? Infinity), -Infinity);
  const peak = values.findIndex((value) => (value ?? Infinity) === most);
  const middle = (top + bottom) / 2;
  const label = { class: "end-label plain", x: scale.right + 7, y: middle - 1 };
  const note = { class: "end-label faint", x: scale.right + 7, y: middle + 12 };
  const tick = { class: "tick", x: scale.left - 6, "text-anchor": "end" };
  const told = Number.isFinite(most) ? `at most ${decimals(most, 2)}` : "";
  const mark = { class: "most", cx: scale.x(frame[peak]), cy: y(Math.min(most, high)), r: 3 };
  const isHigh = y(0) - y(high) > 14; // enough room for a number
  return {
    below: [
      draw("line", { class: "zero", x1: scale.left, x2: scale.right, y1: y(0), y2: y(0) }),
      ...shape(frame, values, scale, y),
      ...(isMarked && peak > 0 ? [draw("circle", mark)] : []),
    ],
    above: [
      draw("text", label, name),
      draw("text", note, told),
      draw("text", { ...tick, y: y(high) + 6 }, isHigh ? decimals(high, high % 1 ? 1 : 0) : ""),
      draw("text", { ...tick, y: y(0) + 4 }, "0"),
    ],
  };
}

function area(frames, values, scale, y) {
  const line = stairs(frames, values, scale.x, y, scale.end);
  return [draw("path", { class: "shift", d: `${line}V${y(0)}H${scale.left}Z` })];
}

/** Draw a bar over the frames of each step; an act takes no time and is a thin bar. */
function bars(frames, values, scale, y) {
  return values.slice(1).map((value, index) => {
    const [from, to] = [scale.x(frames[index]), scale.x(frames[index + 1])];
    const [top, bottom] = [Math.min(y(value), y(0)), Math.max(y(value), y(0))];
    const where = { x: from + 0.5, width: Math.max(to - from - 1, 4), y: top };
    const kind = value === null || value > 0 ? "bar" : "bar likely";
    return draw("rect", { class: kind, ...where, height: Math.max(bottom - top, 1) });
  });
}
