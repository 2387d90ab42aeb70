// The details of a pair: both ratings, their parts, and what made the difference.

const ABOUT = {
  goal: "what the agent turns out to want",
  efficiency: "how efficiently it acts",
  observation: "how likely its individual steps are",
  waste: "how much effort it wastes in total",
};
const WHERE = "where the agent looks for what it wants"; // instead of the goal
const MEMBERS = { e: "expected", u: "unexpected" };

function makeCard(index) {
  const pair = pairAt(index);
  const { word, sign } = OUTCOMES[pair.outcome];
  const by = "tm".includes(pair.outcome) ? "" : ` by ${figure(Math.abs(pair.margin))}`;
  return make(
    "article",
    { class: "card" },
    make(
      "header",
      {},
      make("h3", {}, pair.name, make("small", {}, pair.task.label)),
      make("p", { class: `outcome ${word}` }, `${sign} ${word}${by}`),
    ),
    makeDetails(pair),
  );
}

function makeDetails(pair) {
  return make(
    "div",
    { class: "details" },
    Object.keys(MEMBERS).map((member) => makeRating(member, pair[member].rating)),
    pair.missing.map((why) => make("p", { class: "note" }, `Not judged: ${why}.`)),
    hasParts && pair.outcome !== "m" ? makeParts(pair) : null,
    pair.own.length ? makeOwn(pair.own) : null,
    hasParts && isRatedByParts && pair.outcome !== "m" ? make("p", { class: "reason" }, reasonOf(pair)) : null,
    pair.link?.words.length ? makeWords(pair.link.words) : null,
    pair.link ? makeLink(pair) : null,
  );
}

function makeRating(member, value) {
  const meter = make("span", { class: "meter", "aria-hidden": "true" }, make("span"));
  meter.firstChild.style.width = `${round(100 * value)}%`;
  return make(
    "p",
    { class: `rating ${member}` },
    make("span", {}, make("b", {}, member), ` ${MEMBERS[member]}`),
    value >= 0 && value <= 1 ? meter : null,
    make("b", { class: "figure" }, figure(value)),
  );
}

function makeParts(pair) {
  const most = isRatedByParts ? decisive(pair) : null;
  const heading = Object.keys(MEMBERS).flatMap((member) => [
    make("th", { scope: "col" }, `part, ${member}`),
    make("th", { scope: "col", class: "surprise" }, "surprise"),
  ]);
  const cells = (member, part) => [
    make("td", {}, figure(member[`part_${part}`])),
    make("td", { class: "surprise" }, decimals(member[`surprise_${part}`], 2)),
  ];
  const rows = PARTS.map((part) =>
    make(
      "tr",
      { class: part === most ? "decisive" : null },
      make("th", { scope: "row" }, part),
      cells(pair.e, part),
      cells(pair.u, part),
    ),
  );
  return make(
    "table",
    { class: "parts" },
    make("thead", {}, make("tr", {}, make("td"), heading)),
    make("tbody", {}, rows),
  );
}

/** Make a table of the rater's own columns: a row for each, with the values of both members. */
function makeOwn(rows) {
  const cell = (value) => make("td", {}, typeof value === "number" ? figure(value) : value);
  const heading = Object.keys(MEMBERS).map((member) => make("th", { scope: "col" }, member));
  const lines = rows.map(([name, ...values]) =>
    make("tr", {}, make("th", { scope: "row" }, name), values.map(cell)),
  );
  return make(
    "table",
    { class: "parts own" },
    make("thead", {}, make("tr", {}, make("td"), heading)),
    make("tbody", {}, lines),
  );
}

/** Return how much a part favours the expected episode: the logarithm of a factor. */
function weightOf({ e, u }, part) {
  const log = (value) => Math.log(Math.max(value, 1e-300));
  return log(e[`part_${part}`]) - log(u[`part_${part}`]);
}

/** Return the part that makes most of the difference; null if there is none. */
function decisive(pair) {
  const size = (part) => Math.abs(weightOf(pair, part));
  const [most] = PARTS.toSorted((one, other) => size(other) - size(one));
  return size(most) === 0 ? null : most;
}

function reasonOf(pair) {
  const part = decisive(pair);
  if (!part) return "The parts do not differ, or differ too little to say.";
  const better = weightOf(pair, part) > 0 ? "expected" : "unexpected";
  const isWhere = part === "goal" && pair.task.name === "true_false_belief";
  const about = isWhere ? WHERE : ABOUT[part];
  return `Most of the difference comes from ${about}, which favours the ${better} episode.`;
}

function makeWords(words) {
  const lines = Object.keys(MEMBERS).flatMap((member, index) => [
    make("dt", { class: member }, member),
    make("dd", {}, words[index]),
  ]);
  return make("dl", { class: "words" }, lines);
}

function makeLink({ link, name }) {
  if (link.missing) {
    return make("p", { class: "note" }, `There is no page for this pair: ${link.missing}`);
  }
  const attributes = { class: "watch", href: link.address, "aria-label": `Watch the pair ${name}` };
  return make("p", {}, make("a", attributes, "Watch this pair"));
}
