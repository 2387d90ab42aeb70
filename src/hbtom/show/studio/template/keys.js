// Keyboard shortcuts.

const ARROWS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
const HELP = [
  ["V W O P K L B", "choose a tool"],
  ["Ctrl+Z, Ctrl+Shift+Z", "undo, redo"],
  ["Delete", "remove the selection"],
  ["Arrow keys", "on the scene: move the selection, or the cross; with Shift by 10 pixels"],
  ["Space", "on the scene: use the tool at the cross; elsewhere: play"],
  ["Escape", "select nothing"],
  ["[ ]", "previous trial, next trial"],
  ["1 2", "first episode, second episode"],
  ["Ctrl+S", "save"],
  ["T", "light or dark"],
  ["?", "this list"],
];

/** Let keys act like buttons, except where text is typed. */
function steerByKeys(stage, deeds) {
  const plain = {
    delete: deeds.remove,
    backspace: deeds.remove,
    escape: () => deeds.choose(null),
    "[": () => deeds.turnTo(-1),
    "]": () => deeds.turnTo(1),
    1: () => deeds.member(0),
    2: () => deeds.member(1),
    t: changeTheme,
    "?": deeds.help,
    ...Object.fromEntries(Object.entries(TOOLS).map(([id, { key }]) => [key, () => deeds.tool(id)])),
  };
  const held = {
    z: (event) => (event.shiftKey ? deeds.redo() : deeds.undo()),
    y: deeds.redo,
    s: deeds.save,
  };
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.target.closest("dialog, select, input.name")) return;
    const onStage = event.target === stage.node;
    const key = event.key.toLowerCase();
    const deed = event.ctrlKey || event.metaKey ? held[key] : plain[key];
    if (deed) deed(event);
    else if (event.ctrlKey || event.metaKey) return;
    else if (onStage && ARROWS[event.key]) {
      deeds.nudge(ARROWS[event.key].map((by) => by * (event.shiftKey ? 10 : 1)));
    } else if (event.key === " " && onStage) deeds.use();
    else if (event.key === " " && !event.target.closest("button")) deeds.play();
    else return;
    event.preventDefault();
  });
}

/** Make the list of keys. */
function makeHelp() {
  const dialog = make(
    "dialog",
    { class: "help", "aria-label": "Keys" },
    make("h3", {}, "Keys"),
    make(
      "dl",
      {},
      HELP.flatMap(([key, what]) => [make("dt", {}, key), make("dd", {}, what)]),
    ),
    make("button", { type: "button", onclick: () => dialog.close() }, "Close"),
  );
  return dialog;
}
