// Opening and saving. An existing file is replaced only if the user agrees.

/** Make the bar with names and files. `members()` returns the trials of each, by name. */
function makeFiles({ state, settled, tell, load, saved }) {
  const name = make("input", { class: "name", value: stem(facts.name), "aria-label": "Name" });
  const picker = make("input", { type: "file", hidden: true, onchange: pick });
  const question = make("p", {});
  const replacing = make("dialog", { class: "replace", "aria-label": "Replace the file?" });
  replacing.append(
    question,
    make("button", { type: "button", class: "yes", onclick: () => answer("yes") }, "Replace it"),
    make("button", { type: "button", class: "no", onclick: () => answer("no") }, "Keep it"),
  );
  const answer = (value) => replacing.close(value);
  async function pick() {
    const [file] = picker.files;
    picker.value = "";
    if (!file) return;
    await settled();
    await tell(async () => {
      load(await ask(`/open?${new URLSearchParams({ name: file.name })}`, file));
      name.value = stem(file.name);
    });
  }
  /** Ask whether to replace a file, and return whether to. */
  function mayReplace(problem) {
    say(question, problem);
    replacing.returnValue = "";
    replacing.showModal();
    return new Promise((settle) => {
      replacing.addEventListener("close", () => settle(replacing.returnValue === "yes"), {
        once: true,
      });
    });
  }
  /** Save the current member, or both as an experiment. */
  async function save(form = "json", folder = false) {
    await settled();
    await tell(async () => {
      const members = Object.fromEntries(
        state()
          .members.map((trials, at) => [nameOf(at), trials])
          .filter((_, at) => folder || at === state().current),
      );
      const shown = nameOf(state().current);
      const own = trialsOf(state());
      const what = { members, form, folder, name: folder ? `${name.value} stimuli` : `${shown}.${form}` };
      let answer;
      try {
        answer = await ask("/save", what);
      } catch (error) {
        if (!error.exists) throw error;
        if (!(await mayReplace(error.message))) return "Nothing was saved.";
        answer = await ask("/save", { ...what, overwrite: true });
      }
      if (form === "json") saved(own);
      return `Saved to ${answer.path}`;
    }, "Saving…");
  }
  const nameOf = (at) => (at ? other(name.value) : name.value);
  const forms = make(
    "select",
    { class: "form", "aria-label": "Form of movies" },
    ["gif", "mp4"].map((form) => make("option", {}, form)),
  );
  const button = (kind, text, onclick) =>
    make("button", { type: "button", class: kind, onclick }, text);
  const node = make(
    "div",
    { class: "bar files" },
    button("open", "Open…", () => picker.click()),
    picker,
    name,
    button("save", "Save", () => save()),
    button("movie", "Save movie", () => save(forms.value)),
    button("experiment", "Save stimuli", () => save(forms.value, true)),
    forms,
    replacing,
  );
  return { node, save, nameOf };
}

const stem = (name) => name.replace(/(\.json)?(\.gz|\.zst)?$/i, "");

/** Return a name for the other member of a pair. */
const other = (name) =>
  /\de$/.test(name) ? name.replace(/e$/, "u") : /\du$/.test(name) ? name.replace(/u$/, "e") : `${name} other`;
