// Judging on demand: visible rows are judged, a few at a time.

const AT_ONCE = 4;

/** Make the judging of visible rows; `found(row)` is called with each result. */
function makeJudging({ found, failed }) {
  let waiting = new Map(); // visible elements, and the addresses to request
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
    { rootMargin: "200px" }, // including rows that are almost visible
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
  /** Judge the rows that are not judged yet as soon as they become visible. */
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
