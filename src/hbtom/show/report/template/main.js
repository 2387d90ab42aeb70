// Puts the report together.

const list = makeList();

/** Make the summary at the top: the overall accuracy, and what stands out. */
function makeSummary() {
  const rows = data.scores.slice(0, -1);
  const all = data.scores.at(-1);
  const [weakest] = rows.toSorted((one, other) => one.accuracy - other.accuracy);
  const facts = [
    [percent(all.accuracy), "% right", `95 % interval ${all.interval.map(percent).join(" – ")}`],
    [thousands(all.pairs), all.pairs === 1 ? "pair" : "pairs", count(data.tasks.length, "task")],
    [
      thousands(all.pairs - all.correct - all.ties - all.missing),
      "wrong",
      all.ties ? `and ${count(all.ties, "tie")}` : "and no ties",
    ],
  ];
  if (all.missing) {
    facts.push([thousands(all.missing), "with a missing rating", "which counts as half"]);
  }
  const least = figure(number(all.margin_least));
  if (all.margin_least !== null) {
    facts.push(
      data.margins.reach === 1
        ? [percent(all.margin_below), "% with margins below .05", `the smallest is ${least}`]
        : [least, "is the smallest margin", "ratings are not between 0 and 1"],
    );
  }
  if (weakest.accuracy < all.accuracy) {
    facts.push([percent(weakest.accuracy), `% ${weakest.label}`, "the lowest accuracy"]);
  }
  return make(
    "ul",
    { class: "summary" },
    facts.map(([number, unit, note]) =>
      make("li", {}, make("b", {}, number), ` ${unit}`, make("span", { class: "note" }, note)),
    ),
  );
}

function makeWrong() {
  const all = pairCount - data.scores.at(-1).correct; // with ties and missing ones
  const shown = data.wrong.length;
  const said = all
    ? `Shown are ${thousands(shown)} of ${thousands(all)}: the worst of each task.`
    : "None: in every pair the expected episode is rated higher.";
  const more = make(
    "button",
    { type: "button", class: "more", onclick: () => list.show({ outcome: "wtm" }) },
    `All ${thousands(all)} in the list`,
  );
  return makeSection(
    "wrong",
    "Which pairs go wrong?",
    shown < all || !all ? makeLead(said) : null,
    data.note ? make("p", { class: "note" }, data.note) : null,
    make("div", { class: "cards" }, data.wrong.map(makeCard)),
    shown < all ? more : null,
  );
}

function makeClose() {
  return makeSection(
    "close",
    "Which are the closest calls?",
    makeLead("The smallest margins among the pairs that are right."),
    make("div", { class: "cards" }, data.close.map(makeCard)),
  );
}

const sections = [
  makeScores(),
  makeMargins(),
  makeSpreads(),
  makeCalibration(),
  makeWrong(),
  ...(data.close.length ? [makeClose()] : []),
  list.node,
  makeAbout(),
];
const links = sections.map((section) =>
  make("a", { href: `#${section.id}` }, section.querySelector("h2").textContent),
);
document.body.append(
  make(
    "header",
    { class: "page-bar" },
    make("p", { class: "brand" }, "hbtom"),
    make("h1", {}, data.title),
    makeThemeButton(),
  ),
  make("nav", { class: "contents", "aria-label": "Contents" }, links),
  make("main", {}, makeSummary(), sections),
  make("footer", {}, `Made by hbtom ${data.version}.`),
);

addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, select");
  const isHeld = event.ctrlKey || event.metaKey || event.altKey;
  if (event.key.toLowerCase() === "t" && !isTyping && !isHeld) changeTheme();
});
