// How time is counted and named on the page of an episode: by frames.

const UNIT = "frame";
const TRIAL = "trial";
const FIRST = 1; // the number of the first frame
const FRAMES_PER_SECOND = 25;
const LINGER = 0; // frames for which the last one stays visible
const HAS_PAUSES = true;
const LEAST_STRIP = 1; // least number of trials for which there is a strip
const TICKS = [10, 20, 25, 50, 100, 200, 500, 1000];
const JUDGED = " of the test trial";
const COLUMNS = ["trial", "step", "frame"]; // of the table of beliefs
const SCENE_NOTE =
  "Rings show how probable it is that the agent wants each item; dots mark its steps.";

const trialName = (number, isLast) => (isLast ? "Test trial" : `Trial ${number}`);
const trialMark = ({ number, isTest }) => (isTest ? "Test" : String(number));
const stemOf = (name) => name.replace(/\.json(\.\w+)?$/, "");
const rowStart = (trial, step, frame) => [trial.number, step, frame + 1];
