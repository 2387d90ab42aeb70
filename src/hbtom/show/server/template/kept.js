// The choice of light or dark applies to all pages of this window.

const chosenTheme = sessionStorage.getItem("theme");
if (chosenTheme === "light" || chosenTheme === "dark") {
  document.documentElement.dataset.theme = chosenTheme;
}
new MutationObserver(() => {
  sessionStorage.setItem("theme", document.documentElement.dataset.theme);
}).observe(document.documentElement, { attributeFilter: ["data-theme"] });
