// Saving the charts as a picture, and the beliefs as a table.

const LINES = ["stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin"];
const PAINT = [...LINES, "fill", "fill-opacity", "opacity", "font", "text-anchor", "visibility"];
const SHARPNESS = 2; // pixels of a picture for each pixel of the screen

/** Make the buttons that save the charts of a film. */
function makeSaving(film, charts) {
  const stem = stemOf(film.name);
  const kinds = {
    PNG: () => savePng(`${stem}.png`, pictureOf(charts)),
    SVG: () => saveFile(`${stem}.svg`, "image/svg+xml", asText(pictureOf(charts))),
    CSV: () => saveFile(`${stem}.csv`, "text/csv", tableOf(film)),
  };
  const buttons = Object.entries(kinds).map(([kind, onclick]) => {
    const title = kind === "CSV" ? "Save the beliefs at every step" : "Save these charts";
    return make("button", { type: "button", onclick, title, class: `save-${kind}` }, kind);
  });
  return make("p", { class: "saving note" }, "Save as ", buttons);
}

/** Return one drawing of all charts as they look now, with their questions. */
function pictureOf(charts) {
  const shown = charts.filter((chart) => !chart.node.hidden);
  const ground = getComputedStyle(document.body);
  let [width, height] = [0, 0];
  const parts = shown.flatMap(({ svg, question }) => {
    const { width: wide, height: high } = svg.viewBox.baseVal;
    const title = { x: 6, y: height + 16, fill: ground.color, style: "font: 600 13px sans-serif" };
    const inside = draw("g", { transform: `translate(0 ${height + 24})` });
    inside.append(...[...svg.children].filter(isKept).map(painted));
    height += high + 36;
    width = Math.max(width, wide);
    return [draw("text", title, question), inside];
  });
  const paper = draw("rect", { width: "100%", height: "100%", fill: ground.backgroundColor });
  const size = { width, height, viewBox: `0 0 ${width} ${height}`, xmlns: SVG };
  return draw("svg", size, paper, parts);
}

const isKept = (node) => !["veil", "cursor"].includes(node.getAttribute("class"));

/** Return a copy of a drawing that needs no style sheet. */
function painted(node) {
  const copy = node.cloneNode(false);
  if (!(node instanceof SVGElement)) return copy;
  const style = getComputedStyle(node);
  copy.setAttribute("style", PAINT.map((name) => `${name}:${style[name]}`).join(";"));
  copy.append(...[...node.childNodes].map(painted));
  return copy;
}

const asText = (svg) => new XMLSerializer().serializeToString(svg);

function savePng(name, svg) {
  const [width, height] = ["width", "height"].map((side) => Number(svg.getAttribute(side)));
  const canvas = make("canvas", { width: SHARPNESS * width, height: SHARPNESS * height });
  const image = new Image();
  image.onload = () => {
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => saveBlob(name, blob));
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(asText(svg))}`;
}

const saveFile = (name, type, text) => saveBlob(name, new Blob([text], { type }));

function saveBlob(name, blob) {
  const href = URL.createObjectURL(blob);
  make("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}

/** Return all beliefs as a table: one row for each value at each step; all count from 1. */
function tableOf(film) {
  const rows = [[...COLUMNS, "belief", "value", "probability"]];
  for (const trial of film.trials) {
    const { beliefs } = trial;
    beliefs.frame.forEach((frame, step) => {
      const at = rowStart(trial, step, frame);
      beliefs.goals.forEach((item, index) =>
        rows.push([...at, "goal", film.items[item].name, beliefs.goal[step][index]]),
      );
      film.efficiencies.forEach((value, index) =>
        rows.push([...at, "efficiency", value, beliefs.efficiency[step][index]]),
      );
      (film.foresights ?? []).forEach((value, index) =>
        rows.push([...at, "foresight", value, beliefs.foresight[step][index]]),
      );
    });
  }
  return rows.map((row) => `${row.map(cell).join(",")}\n`).join("");
}

/** Quote a cell if necessary; put an apostrophe before text that a spreadsheet would run. */
function cell(value) {
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : `${value ?? ""}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
