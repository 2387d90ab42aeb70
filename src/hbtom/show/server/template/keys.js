// Keys for choosing and opening a row, turning the page, and searching.

/** Let keys control the list, except those of the browser and those that type text. */
function steerByKeys({ table, pager, controls }) {
  const inRow = (row) => row.node.contains(document.activeElement);
  function move(by) {
    const rows = table.rows();
    const [here, last] = [rows.findIndex(inRow), rows.length - 1];
    const start = by > 0 ? 0 : last;
    rows[here < 0 ? start : clamp(here + by, 0, last)]?.link.focus();
  }
  const open = (index) => table.rows().find(inRow)?.links[index].click();
  const deeds = {
    arrowdown: () => move(1),
    arrowup: () => move(-1),
    arrowright: () => pager.on(),
    arrowleft: () => pager.back(),
    e: () => open(0),
    u: () => open(1),
    t: () => changeTheme(),
    "/": () => controls.focus(),
  };
  document.addEventListener("keydown", (event) => {
    const key = event.key.toLowerCase();
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(deeds, key)) return;
    const typing = event.target.closest("input, select");
    const leaves = typing?.type === "search" ? "arrowdown" : "/"; // to the rows, or to search
    if (typing && key !== leaves) return;
    event.preventDefault();
    deeds[key]();
  });
}
