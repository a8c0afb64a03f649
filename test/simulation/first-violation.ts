// Runs seeds from 1 on until one breaks a guarantee, and prints what it was as JSON; find-bugs.ts starts it on a tree
// with a bug.

import { PROFILES } from './plan.ts';
import { makePlan } from './profiles.ts';
import { simulate } from './simulate.ts';

const [, , name, most = '500'] = process.argv;
const profile = PROFILES.find((known) => known === name) ?? 'everything';

for (let seed = 1; seed <= Number(most); seed += 1) {
  // G0 is no guarantee: a bug that only makes the feed throw is not found by what was promised.
  const violation = (await simulate(makePlan(seed, profile))).violations.find(
    ({ guarantee }) => guarantee !== 'G0',
  );
  if (violation === undefined) continue;
  console.log(JSON.stringify({ seed, ...violation }));
  break;
}
