// Sends requests to the server. The page knows the numbers of trials, and their drawings.

const facts = JSON.parse(document.getElementById("data").textContent);
const views = new Map(); // the drawing of each trial, by its number

/** Remember the drawing of a trial, and return its number. */
function learn(raw) {
  views.set(raw.id, openTrial(raw, 0, [raw]));
  return raw.id;
}

/** Send a value or a file; a refusal is thrown as an error with the server's answer. */
async function ask(address, value) {
  const body = value instanceof Blob ? value : JSON.stringify(value);
  let response;
  try {
    response = await fetch(address, { method: "POST", body });
  } catch {
    throw new Error("The studio is not answering. If it was stopped, start it again.");
  }
  const answer = await response.json().catch(() => ({}));
  if (response.ok && !answer.problem) return answer;
  const told = answer.problem ?? `The studio could not do that (${response.status}).`;
  throw Object.assign(new Error(told), { exists: answer.exists });
}
