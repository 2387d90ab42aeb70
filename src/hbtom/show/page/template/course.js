// Where everything is at a given frame of an episode.

/** Return everything that moves or changes in a trial, one value per frame. */
function openWorld(raw) {
  return {
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
  };
}

const openDeed = ([actor, first, last, kind, words]) => ({ actor, first, last, kind, words });

function openThing(thing, frames) {
  const path = thing.path && spread(thing.path, frames);
  return { ...thing, path, seen: openFlags(thing.seen, frames) };
}

const openFlags = (changes, frames) => changes && spread(changes, frames).map(([is]) => is);

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

/** Return whether nothing moves at a frame, before the motion starts or after it ends. */
function isPause(trial, frame) {
  if (trial.busy) return !trial.busy.some(([first, last]) => first - 1 <= frame && frame <= last);
  return trial.motion !== null && (frame < trial.motion[0] - 1 || frame > trial.motion[1]);
}
