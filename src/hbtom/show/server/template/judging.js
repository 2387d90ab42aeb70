// Finding out what is not known yet: rows that are in sight are judged, a few at a time.

const AT_ONCE = 4;

/** Make what judges the rows that it is shown; `found(row)` is called with what came of each. */
function makeJudging({ found, failed }) {
  let waiting = new Map(); // elements in sight, and what they are about
  let leave = new AbortController();
  let busy = 0;
  const sight = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) waiting.set(target, target.asks);
        else waiting.delete(target);
      }
      next();
    },
    { rootMargin: "200px" }, // what is nearly in sight, too
  );

  function next() {
    while (busy < AT_ONCE && waiting.size) {
      const [[element, address]] = waiting;
      waiting.delete(element);
      sight.unobserve(element);
      judge(element, address, leave.signal);
    }
  }
  async function judge(element, address, signal) {
    busy += 1;
    element.classList.add("busy");
    try {
      found(await ask(address, { signal }));
    } catch (error) {
      if (error.name !== "AbortError") failed(error);
    } finally {
      busy -= 1;
      element.classList.remove("busy");
      next();
    }
  }
  /** Judge those of the rows that are not judged yet, as soon as they can be seen. */
  function watch(rows, addressOfRow) {
    leave.abort();
    leave = new AbortController();
    sight.disconnect();
    waiting = new Map();
    for (const row of rows) {
      if (row.data.verdict !== "unjudged") continue;
      row.node.asks = addressOfRow(row.data);
      sight.observe(row.node);
    }
  }
  return { watch };
}
