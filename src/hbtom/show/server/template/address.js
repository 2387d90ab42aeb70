// The selection. It is part of the address, so that going back and sharing links work.

const facts = JSON.parse(document.getElementById("data").textContent);
const ASKED = ["model", "in", "search", "outcome", "from"];

/** Read the selection from the address; fields that it does not name are empty. */
function readAsked() {
  const given = new URLSearchParams(location.search);
  return Object.fromEntries(ASKED.map((name) => [name, given.get(name) ?? ""]));
}

/** Return an address with all values that are not empty. */
function addressOf(path, values) {
  const given = Object.entries(values).filter(([, value]) => value);
  return given.length ? `${path}?${new URLSearchParams(given)}` : path;
}

/** Send a request to the server. */
async function ask(address, options) {
  let response;
  try {
    response = await fetch(address, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error(
      "The server is not answering. If it was stopped, start it again and reload this page.",
    );
  }
  if (!response.ok) throw new Error(`The server could not do that (${response.status}).`);
  return response.json();
}
