// How time is counted and named on the page of a plan: by actions.

const UNIT = "step";
const TRIAL = "plan";
const FIRST = 0; // step 0 is before the first action
const FRAMES_PER_SECOND = 1.25;
const LINGER = 0.9; // steps for which the last one stays visible
const HAS_PAUSES = false;
const LEAST_STRIP = 2;
const TICKS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
const JUDGED = " of the last plan";
const COLUMNS = ["plan", "step", "action"]; // of the table of beliefs
const SCENE_NOTE =
  "Things that only one goal is about have the colour of that goal. Small boxes in rows are facts.";

const trialName = (number) => `Plan ${number}`;
const trialMark = ({ number }) => String(number);
const stemOf = (name) => name.replace(/\.plan$/, "");
const rowStart = (trial, step) => [trial.name, step, trial.actions[step - 1] ?? ""];
