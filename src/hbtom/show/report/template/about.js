// What was judged, and how.

const RATINGS = {
  plausibility: "plausibility, which the model computes from its surprises",
  predictive: "predictive score, which needs no fitted weights",
  rating: "ratings as given in the file",
};

function makeAbout() {
  const { name, rated, model, fingerprints, versions, unknown, leftOut, toml } = data.about;
  const prints = fingerprints.join(", ");
  const kind = prints && !hasParts ? "Rater" : "Model";
  const facts = {
    Dataset: name,
    [kind]: model ? `${model} (${prints})` : prints || "not known",
    "Compared by": RATINGS[rated] ?? rated,
    "Judged by": versions.map((version) => `hbtom ${version}`).join(", ") || "not known",
    Pairs: thousands(pairCount),
    "Left out": thousands(leftOut),
  };
  return makeSection(
    "about",
    "What was judged, and how?",
    make(
      "dl",
      { class: "facts" },
      Object.entries(facts).flatMap(([term, fact]) => [make("dt", {}, term), make("dd", {}, fact)]),
    ),
    unknown
      ? make("p", { class: "note" }, `Nothing more is known about the ${kind.toLowerCase()}: ${unknown}.`)
      : null,
    leftOut ? makeLeftOut() : null,
    toml ? makeFold("Every assumption of the model", make("pre", {}, toml)) : null,
  );
}

function makeLeftOut() {
  const { leftOut, leftOutFiles } = data.about;
  const more = leftOut - leftOutFiles.length;
  return makeFold(
    `Files left out (${thousands(leftOut)})`,
    make(
      "ul",
      { class: "left-out" },
      leftOutFiles.map(([file, why]) => make("li", {}, make("b", {}, file), ` ${why}`)),
      more ? make("li", {}, `and ${thousands(more)} more`) : null,
    ),
  );
}

/** Make a part that is folded on a screen but not on paper. */
function makeFold(heading, content) {
  const node = make("details", {}, make("summary", {}, heading), content);
  let wasOpen = false;
  addEventListener("beforeprint", () => {
    wasOpen = node.open;
    node.open = true;
  });
  addEventListener("afterprint", () => {
    node.open = wasOpen;
  });
  return node;
}
