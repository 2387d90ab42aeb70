// The palette: tools, shapes and colours.

const HINTS = {
  select: "Drag things and the points of the path. Press Delete to remove the selection.",
  wall: "Drag over cells to build walls; begin on a wall to remove them.",
  object: "Click to place the object. Choose its shape and colour below.",
  path: "Drag from the agent to draw its path, or click an object to find the shortest way.",
  key: "Click to place the key. The agent takes it when its path leads to it.",
  lock: "Click to place the lock. With the key, the agent opens it and the barrier vanishes.",
  barrier: "Drag over cells to build the barrier; begin on it to remove cells.",
};

/** Make the palette. `dress(look, who)` is called when a shape or a colour is chosen. */
function makePalette({ tool, dress }) {
  const look = { image: facts.objects[0], colour: facts.colours[5] };
  const hint = make("p", { class: "note hint", "aria-live": "polite" });
  const everywhere = make("input", { type: "checkbox", class: "everywhere" });
  const tools = Object.entries(TOOLS).map(([id, { key, name }]) =>
    make(
      "button",
      { type: "button", class: "tool", "data-tool": id, onclick: () => tool(id) },
      name,
      make("kbd", {}, key.toUpperCase()),
    ),
  );
  const shapes = { objects: swatches("objects"), agents: swatches("agents") };
  const colours = facts.colours.map((colour) => {
    const button = make("button", {
      type: "button",
      class: "colour",
      title: `rgb(${colour})`,
      "aria-label": `Colour ${colour.join(" ")}`,
      onclick: () => pick({ colour }),
    });
    button.style.background = `rgb(${colour.join(" ")})`;
    return button;
  });
  function swatches(kind) {
    return facts[kind].map((image) =>
      make("button", {
        type: "button",
        class: "swatch",
        "data-image": image,
        title: shapeOf(image),
        "aria-label": shapeOf(image),
        onclick: () => (kind === "agents" ? dress({ image }, "agent") : pick({ image })),
      }),
    );
  }
  function pick(part) {
    Object.assign(look, part);
    paint();
    dress(part);
  }
  function paint() {
    for (const button of [...shapes.objects, ...shapes.agents]) {
      const thing = { shape: button.title, rgb: look.colour };
      button.replaceChildren(icon(thing));
      mark(button, button.dataset.image === look.image);
    }
    facts.colours.forEach((colour, at) => mark(colours[at], `${colour}` === `${look.colour}`));
  }
  function show(current) {
    for (const button of tools) {
      set(button, { "aria-pressed": button.dataset.tool === current });
    }
    say(hint, HINTS[current]);
  }
  paint();
  const node = make(
    "aside",
    { class: "palette", "aria-label": "Tools" },
    make("div", { class: "tools" }, tools),
    hint,
    make("label", {}, everywhere, " in all trials"),
    make("h3", {}, "Objects"),
    make("div", { class: "swatches" }, shapes.objects),
    make("h3", {}, "Colour"),
    make("div", { class: "swatches" }, colours),
    make("h3", {}, "Agent"),
    make("div", { class: "swatches" }, shapes.agents),
  );
  return { node, show, look: () => ({ ...look }), everywhere: () => everywhere.checked };
}

const shapeOf = (image) => image.split("/").at(-1).replace(/\.\w+$/, "");
