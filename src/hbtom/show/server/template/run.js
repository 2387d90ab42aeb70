// Judging all pairs: the accuracy so far, a button, and the progress.

const EVERY = 400; // milliseconds between two updates of the progress

/** Make the line with the accuracy and the button that judges all pairs. */
function makeRun({ begin, stop }) {
  const score = make("p", { class: "score" });
  const start = make("button", { type: "button", class: "start", onclick: begin }, "Judge all");
  const end = make("button", { type: "button", class: "stop", onclick: stop }, "Stop");
  const bar = make("progress", { "aria-label": "Pairs judged" });
  const how = make("p", { class: "how" });
  const news = make("p", { class: "unseen", role: "status" }); // for screen readers
  const node = make(
    "section",
    { class: "run", "aria-label": "Judging" },
    score,
    news,
    how,
    bar,
    start,
    end,
  );
  function show(answer) {
    const { run, count } = answer;
    const going = Boolean(run?.going);
    say(score, accuracy(answer));
    start.hidden = going || count.unjudged === 0;
    end.hidden = bar.hidden = !going;
    say(start, `Judge all ${count.unjudged}`);
    if (going) {
      bar.max = run.total;
      bar.value = run.done;
    }
    say(news, run ? (going ? "Judging" : `${run.done} of ${run.total} pairs judged`) : "");
    say(how, going ? `${run.done} of ${run.total}, with model ${run.model}` : (run?.problem ?? ""));
  }
  return { node, show };
}

/** Return the accuracy so far, in words; a tie or a missing judgement counts as half. */
function accuracy({ judged, count, accuracy: share, interval }) {
  if (judged === 0) return "No pair has been judged yet.";
  const [low, high] = interval.map((bound) => (100 * bound).toFixed(1));
  const pairs = `${judged} ${judged === 1 ? "pair" : "pairs"}`;
  const halves = [count.tie && "ties", count.missing && "missing ones"].filter(Boolean);
  const ties = halves.length ? `, ${halves.join(" and ")} counting half` : "";
  const range = `(95\u00a0% interval ${low}\u00a0–\u00a0${high})`;
  return `Accuracy${count.unjudged ? " so far" : ""}: ${perCent(share)} of ${pairs}${ties} ${range}`;
}
