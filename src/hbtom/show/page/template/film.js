// The state of an episode or a plan at a given frame.

/** Return a film with the lists of changes expanded to one value per frame. */
function openFilm(raw) {
  return { ...raw, items: toned(raw.items), trials: raw.trials.map(openTrial) };
}

function openTrial(raw, index, all) {
  return {
    ...raw,
    number: index + 1,
    isTest: index === all.length - 1,
    moments: raw.moments.map(([frame, kind, text]) => ({ frame, kind, text })),
    ...openWorld(raw),
  };
}

/** Expand [[frame, value, …], …], one entry per change, to one value per frame. */
function spread(changes, frames) {
  const values = [];
  changes.forEach(([from, ...value], index) => {
    const until = index + 1 < changes.length ? changes[index + 1][0] : frames;
    for (let frame = from; frame < until; frame++) values.push(value);
  });
  return values;
}

/** Return how many steps are complete at a frame, which is the row of the beliefs. */
function stepAt(trial, frame) {
  const frames = trial.beliefs.frame;
  let step = 0;
  while (step + 1 < frames.length && frames[step + 1] <= frame) step++;
  return step;
}

/** Return the text at a frame: all sentences of the latest moment. */
function sentenceAt(trial, frame) {
  const said = trial.moments.filter((moment) => moment.frame <= frame);
  const latest = said.length ? said[said.length - 1].frame : 0;
  return said
    .filter((moment) => moment.frame === latest)
    .map((moment) => moment.text)
    .join(" ");
}
