// Replaces the scripts of company on a page without company.

const layCompany = () => ({ others: [], below: [], above: [], show: () => {} });
const othersAtEnd = () => [];
const wantedOthers = () => [];
const objectAtEnd = (thing) => thing;
const wallsAt = ({ walls }) => walls;
const hasSight = () => false;
const hasMind = () => false;
const makeCaption = () => ({ node: null, show: () => {}, toggle: () => {} });
