// The drawn episodes, with undo and redo.

const MOST_STATES = 1000;

/**
 * Keep states: { members, current, trial }. A member is a list of the numbers of trials; there are
 * one or two, and `current` and `trial` say which one is shown.
 */
function makeHistory(first, onchange) {
  const [past, future] = [[], []];
  let now = first;
  function become(next) {
    now = next;
    onchange();
  }
  function commit(next) {
    past.push(now);
    if (past.length > MOST_STATES) past.shift();
    future.length = 0;
    become({ ...now, ...next });
  }
  function turn(from, to) {
    if (!from.length) return;
    to.push(now);
    become(from.pop());
  }
  return {
    now: () => now,
    commit,
    show: (next) => become({ ...now, ...next }), // changes the view, which cannot be undone
    undo: () => turn(past, future),
    redo: () => turn(future, past),
    canUndo: () => past.length > 0,
    canRedo: () => future.length > 0,
  };
}

const keyOf = (trials) => trials.join(); // the same for the same episode
const trialsOf = ({ members, current }) => members[current];
const viewOf = (state) => views.get(trialsOf(state)[state.trial]);

/** Return a state with other trials in the current member. */
function withTrials(state, trials, trial = state.trial) {
  const members = state.members.map((one, at) => (at === state.current ? trials : one));
  return { members, trial: clamp(trial, 0, trials.length - 1) };
}
