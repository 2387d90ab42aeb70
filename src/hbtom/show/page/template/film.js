// What the page knows of an episode, and where everything is at a given frame.

/** Return a film with the lists of changes of its trials spread out, one value a frame. */
function openFilm(raw) {
  return { ...raw, trials: raw.trials.map(openTrial) };
}

function openTrial(raw, index, all) {
  return {
    ...raw,
    number: index + 1,
    isTest: index === all.length - 1,
    path: spread(raw.path, raw.frames),
    left: spread(raw.left, raw.frames).map(([share]) => share),
    others: raw.others.map((other) => ({ ...other, path: spread(other.path, raw.frames) })),
    key: raw.key && { ...raw.key, path: spread(raw.key.path, raw.frames) },
    lock: raw.lock && { ...raw.lock, there: spread(raw.lock.there, raw.frames).map(([is]) => is) },
    moments: raw.moments.map(([frame, kind, text]) => ({ frame, kind, text })),
  };
}

/** Turn [[frame, value, …], …], one entry for every change, into one value a frame. */
function spread(changes, frames) {
  const values = [];
  changes.forEach(([from, ...value], index) => {
    const until = index + 1 < changes.length ? changes[index + 1][0] : frames;
    for (let frame = from; frame < until; frame++) values.push(value);
  });
  return values;
}

/** Return how many steps are complete at a frame: the row of the beliefs that holds then. */
function stepAt(trial, frame) {
  const frames = trial.beliefs.frame;
  let step = 0;
  while (step + 1 < frames.length && frames[step + 1] <= frame) step++;
  return step;
}

const LONGEST_STRIDE = 8; // pixels in one frame; what is more is a jump and not drawn as motion

/** Return where something is at a time between frames; null where it is gone. */
function placeAt(path, at) {
  const frame = Math.floor(at);
  const [x, y] = path[frame];
  if (x === null) return null;
  const [nextX, nextY] = path[Math.min(frame + 1, path.length - 1)];
  const far = nextX === null || Math.hypot(nextX - x, nextY - y) > LONGEST_STRIDE;
  const share = far ? 0 : at - frame;
  return [x + share * (nextX - x), y + share * (nextY - y)];
}

/** Return what is said at a frame: all sentences of the latest moment. */
function sentenceAt(trial, frame) {
  const said = trial.moments.filter((moment) => moment.frame <= frame);
  const latest = said.length ? said[said.length - 1].frame : 0;
  return said
    .filter((moment) => moment.frame === latest)
    .map((moment) => moment.text)
    .join(" ");
}

/** Tell whether nothing moves at a frame because the trial has not begun, or is over. */
function isPause(trial, frame) {
  return trial.motion !== null && (frame < trial.motion[0] - 1 || frame > trial.motion[1]);
}
