// What the page knows about an episode, and where everything is at a given frame.

/** Return a film with the lists of changes expanded to one value per frame. */
function openFilm(raw) {
  return { ...raw, items: toned(raw.items), trials: raw.trials.map(openTrial) };
}

function openTrial(raw, index, all) {
  return {
    ...raw,
    number: index + 1,
    isTest: index === all.length - 1,
    path: spread(raw.path, raw.frames),
    left: spread(raw.left, raw.frames).map(([share]) => share),
    objects: raw.objects.map((thing) => openThing(thing, raw.frames)),
    others: raw.others.map((other) => openThing(other, raw.frames)),
    standing: raw.standing && spread(raw.standing, raw.frames),
    there: openFlags(raw.there, raw.frames),
    viewed: openFlags(raw.viewed, raw.frames),
    deeds: raw.deeds?.map(openDeed),
    key: raw.key && { ...raw.key, path: spread(raw.key.path, raw.frames) },
    lock: raw.lock && { ...raw.lock, there: spread(raw.lock.there, raw.frames).map(([is]) => is) },
    moments: raw.moments.map(([frame, kind, text]) => ({ frame, kind, text })),
  };
}

const openDeed = ([actor, first, last, kind, words]) => ({ actor, first, last, kind, words });

function openThing(thing, frames) {
  const path = thing.path && spread(thing.path, frames);
  return { ...thing, path, seen: openFlags(thing.seen, frames) };
}

const openFlags = (changes, frames) => changes && spread(changes, frames).map(([is]) => is);

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

const LONGEST_STRIDE = 8; // pixels in one frame; anything longer is a jump

/** Return where something is at a time between frames; null if it is gone. */
function placeAt(path, at) {
  const frame = Math.floor(at);
  const [x, y] = path[frame];
  if (x === null) return null;
  const [nextX, nextY] = path[Math.min(frame + 1, path.length - 1)];
  const far = nextX === null || Math.hypot(nextX - x, nextY - y) > LONGEST_STRIDE;
  const share = far ? 0 : at - frame;
  return [x + share * (nextX - x), y + share * (nextY - y)];
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

/** Tell whether nothing moves at a frame, before the motion starts or after it ends. */
function isPause(trial, frame) {
  if (trial.busy) return !trial.busy.some(([first, last]) => first - 1 <= frame && frame <= last);
  return trial.motion !== null && (frame < trial.motion[0] - 1 || frame > trial.motion[1]);
}
