// Colours of lines: close to those of their things, and easy to distinguish.

const HUES = [205, 25, 164, 320, 41, 240]; // of --item-0 and so on, in degrees
const DASHES = 4;

/** Give each item a colour and a dash; as long as there are enough, no other item has both. */
function toned(items) {
  const given = items.map(() => null);
  const wanted = items.flatMap((item, index) =>
    HUES.map((hue, tone) => ({ index, tone, away: hueAway(hueOf(item.rgb), hue) })),
  );
  wanted.sort((a, b) => a.away - b.away || a.index - b.index);
  for (let round = 0; given.includes(null); round++) {
    const free = new Set(HUES.keys());
    for (const { index, tone } of wanted) {
      if (given[index] !== null || !free.delete(tone)) continue;
      given[index] = { tone, dash: (index + round) % DASHES };
    }
  }
  given.forEach((own, index) => {
    const alike = given.slice(0, index).filter(({ tone }) => tone === own.tone);
    const taken = new Set(alike.map(({ dash }) => dash));
    for (let tries = 1; tries < DASHES && taken.has(own.dash); tries++) {
      own.dash = (own.dash + 1) % DASHES;
    }
  });
  return items.map((item, index) => ({ ...item, ...given[index] }));
}

/** Return the hue of a colour in degrees; null for grey, which fits any. */
function hueOf([red, green, blue]) {
  const [low, high] = [Math.min(red, green, blue), Math.max(red, green, blue)];
  const chroma = high - low;
  if (chroma < 25) return null;
  if (high === red) return (60 * (green - blue)) / chroma + (green < blue ? 360 : 0);
  return high === green ? 120 + (60 * (blue - red)) / chroma : 240 + (60 * (red - green)) / chroma;
}

const hueAway = (hue, other) =>
  hue === null ? 90 : Math.min(Math.abs(hue - other), 360 - Math.abs(hue - other));

/** Return the classes of a line or label that stands for an item. */
const toneOf = (film, item) => `item-${film.items[item].tone}`;
