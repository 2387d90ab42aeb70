// Light and dark: as the reader's system prefers, until the reader chooses.

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function changeTheme() {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
}

function makeThemeButton() {
  return make(
    "button",
    {
      type: "button",
      onclick: changeTheme,
      title: "Light or dark (T)",
      "aria-label": "Light or dark",
    },
    "◐",
  );
}
