// Time: the trial, the frame, whether it plays; set by buttons, keys, dragging and the address.

const SPEEDS = [1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16];
const PAUSE_SPEED = 6; // factor by which pauses play faster, if they are shortened

/**
 * Make the player. `lengths` are the numbers of frames of the trials, `pauses(slot, frame)` returns
 * whether nothing happens, `steps(slot)` returns the frames where steps end. `onchange(slot, at)`
 * is called with the trial and the time in frames, which is fractional while it plays.
 */
function makePlayer({ lengths, pauses, steps, onchange }) {
  const state = { slot: lengths.length - 1, at: 0, playing: false, speed: 3, shorten: true };
  let peeked = null; // the time under the mouse, which is shown until it leaves
  const listeners = [];
  let before = 0; // when the last picture was drawn
  let request = 0; // for the next picture

  const last = () => lengths[state.slot] - 1;
  const frame = () => Math.floor(state.at);
  const changed = () => {
    const shown = { ...state, at: peeked ?? (prefersCalm.matches ? frame() : state.at) };
    onchange(shown.slot, shown.at);
    for (const tell of listeners) tell(shown);
    if (!state.playing && peeked === null) remember(state);
  };

  function seek(slot, at) {
    peeked = null;
    state.slot = clamp(slot, 0, lengths.length - 1);
    state.at = clamp(at, 0, last());
    changed();
  }
  function peek(at) {
    if (state.playing || at === peeked) return;
    peeked = at;
    changed();
  }
  function play(on) {
    peeked = null;
    if (on && state.slot === lengths.length - 1 && frame() === last()) state.at = 0;
    state.playing = on;
    cancelAnimationFrame(request);
    if (on) {
      before = performance.now();
      request = requestAnimationFrame(tick);
    } else {
      state.at = frame();
    }
    changed();
  }
  function tick(now) {
    if (!state.playing) return;
    const pause = state.shorten && pauses(state.slot, frame()) ? PAUSE_SPEED : 1;
    const gone = clamp(now - before, 0, 250) / 1000; // a page in the background does not skip ahead
    before = now;
    state.at += gone * FRAMES_PER_SECOND * SPEEDS[state.speed] * pause;
    if (state.at >= last() + LINGER) finishTrial();
    else changed();
    if (state.playing) request = requestAnimationFrame(tick);
  }
  function finishTrial() {
    if (state.slot < lengths.length - 1) seek(state.slot + 1, 0);
    else {
      state.at = last();
      play(false);
    }
  }
  function nudge(frames) {
    state.playing = false;
    seek(state.slot, frame() + frames);
  }
  function nudgeStep(way) {
    const marks = [0, ...steps(state.slot), last()];
    const next =
      way > 0 ? marks.find((mark) => mark > frame()) : marks.findLast((mark) => mark < frame());
    if (next !== undefined) nudge(next - frame());
  }
  function changeSpeed(by) {
    state.speed = clamp(state.speed + by, 0, SPEEDS.length - 1);
    changed();
  }
  function shorten(on) {
    state.shorten = on;
    changed();
  }
  const player = {
    state,
    seek,
    peek,
    play,
    nudge,
    nudgeStep,
    changeSpeed,
    shorten,
    toggle: () => play(!state.playing),
    trial: (by) => seek(state.slot + by, 0),
    first: () => nudge(-Infinity),
    last: () => nudge(Infinity),
    scrub: (slot, at) => {
      state.playing = false;
      seek(slot, at);
    },
    listen: (tell) => listeners.push(tell),
  };
  followAddress(player);
  return player;
}

// The address names a moment: #trial=9&frame=52, both counted from 1; or #plan=1&step=3

/** Read the moment that the address names; null if there is none. */
function readAddress() {
  const named = new URLSearchParams(location.hash.slice(1));
  const [trial, frame] = [TRIAL, UNIT].map((name) => Number.parseInt(named.get(name), 10));
  if (!Number.isInteger(trial)) return null;
  return { slot: trial - 1, at: Number.isInteger(frame) ? frame - FIRST : 0 };
}

/** Put the current moment into the address. */
function remember({ slot, at }) {
  const hash = `#${TRIAL}=${slot + 1}&${UNIT}=${Math.floor(at) + FIRST}`;
  if (location.hash === hash) return;
  try {
    history.replaceState(null, "", hash);
  } catch {
    // a page inside another page must not change its address
  }
}

function followAddress(player) {
  addEventListener("hashchange", () => {
    const named = readAddress();
    if (named) player.scrub(named.slot, named.at);
  });
}
