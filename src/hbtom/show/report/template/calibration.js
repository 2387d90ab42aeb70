// Calibration: of the episodes with about the same plausibility, how many were expected?

const PLOT = { left: 44, top: 8, size: 300, inset: 12, width: 356, height: 346 };

function makeCalibration() {
  if (!data.calibration) {
    const why = "The ratings are not all between 0 and 1, so they cannot be read as probabilities.";
    return makeSection("calibration", "How well calibrated are the ratings?", makeLead(why));
  }
  const { bins, error, column } = data.calibration;
  return makeSection(
    "calibration",
    `How well calibrated is the ${column}?`,
    makeLead(
      "Half of all episodes are the expected one of their pair. If the " +
        `${column} were the probability that an episode is the expected one, all dots would lie ` +
        "on the line. They need not, because accuracy only compares the two episodes of a pair.",
    ),
    make(
      "div",
      { class: "calibration" },
      drawCalibration(bins, column),
      make(
        "div",
        {},
        makeBins(bins, column),
        make(
          "p",
          { class: "error" },
          make("b", {}, error.toFixed(3)),
          " calibration error: the mean distance of the dots from the line, weighted by episodes.",
        ),
      ),
    ),
  );
}

function makeBins(bins, column) {
  const rows = bins.map((bin) => ({
    cells: [
      `${bin.low.toFixed(1)} – ${bin.high.toFixed(1)}`,
      thousands(bin.episodes),
      bin.mean_plausibility.toFixed(3),
      percent(bin.expected),
      bin.interval.map(percent).join(" – "),
    ],
  }));
  const heading = ["Between", "Episodes", `Mean ${column}`, "Expected, %", "95 % interval"];
  return makeTable("Calibration", heading, rows);
}

function drawCalibration(bins, column) {
  const { left, top, size, inset, width, height } = PLOT;
  const x = (share) => round(left + inset + (size - 2 * inset) * share);
  const y = (share) => round(top + size - inset - (size - 2 * inset) * share);
  const most = Math.max(...bins.map((bin) => bin.episodes));
  const text = (place, words) => draw("text", { "text-anchor": "middle", ...place }, words);
  const ticks = [0, 0.2, 0.4, 0.6, 0.8, 1];
  return draw(
    "svg",
    {
      class: "calibration-plot",
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": `Share of expected episodes by ${column}; the table has all figures.`,
    },
    draw("rect", { class: "frame", x: left, y: top, width: size, height: size }),
    draw("line", { class: "diagonal", x1: x(0), y1: y(0), x2: x(1), y2: y(1) }),
    ticks.map((tick) => text({ x: x(tick), y: top + size + 16 }, String(tick))),
    ticks.map((tick) =>
      text({ x: left - 6, y: y(tick) + 4, "text-anchor": "end" }, String(100 * tick)),
    ),
    text({ x: x(0.5), y: top + size + 34 }, column),
    text({ transform: `translate(11 ${y(0.5)}) rotate(-90)` }, "expected, %"),
    bins.map((bin) => drawBin(bin, { x, y, most })),
  );
}

/** Draw one bin: a dot whose size shows its number of episodes, its interval, and that number. */
function drawBin(bin, { x, y, most }) {
  const [at, share] = [x(bin.mean_plausibility), y(bin.expected)];
  const radius = round(4 + 8 * Math.sqrt(bin.episodes / most));
  const [side, anchor] = bin.mean_plausibility > 0.7 ? [-1, "end"] : [1, "start"];
  return draw(
    "g",
    { class: "bin" },
    draw("title", {}, `${count(bin.episodes, "episode")}, ${percent(bin.expected)} % expected`),
    draw("line", { x1: at, x2: at, y1: y(bin.interval[0]), y2: y(bin.interval[1]) }),
    draw("circle", { cx: at, cy: share, r: radius }),
    draw(
      "text",
      { x: round(at + side * (radius + 5)), y: share + 4, "text-anchor": anchor },
      thousands(bin.episodes),
    ),
  );
}
