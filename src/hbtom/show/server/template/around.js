// Keys for the links to the list and to other pairs, in addition to those that control time.

const watched = new URLSearchParams(location.search);
if (watched.has("pair")) {
  const key = JSON.stringify([watched.get("task"), watched.get("pair")]);
  sessionStorage.setItem("watched", key); // the list focuses it when the user comes back
}

const WAYS = { n: "a[rel=next]", p: "a[rel=prev]", l: ".around .list" };

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const way = WAYS[event.key.toLowerCase()];
  if (way && !document.querySelector("dialog[open]")) document.querySelector(way)?.click();
});
