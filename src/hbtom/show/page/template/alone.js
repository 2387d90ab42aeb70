// What stands for company on a page without any, whose scripts are left out.

const layCompany = () => ({ others: [], below: [], above: [], show: () => {} });
const othersAtEnd = () => [];
const wantedOthers = () => [];
const objectAtEnd = (thing) => thing;
const wallsAt = ({ walls }) => walls;
const hasSight = () => false;
const hasMind = () => false;
const makeCaption = () => ({ node: null, show: () => {}, toggle: () => {} });
