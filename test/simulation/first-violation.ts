// Runs seeds from 1 on until one breaks a guarantee, and prints the violation as JSON. find-bugs.ts starts it in a tree
// with a bug.

import { PROFILES } from './plan.ts';
import { makePlan } from './profiles.ts';
import { simulate } from './simulate.ts';

const [, , name, most = '500'] = process.argv;
const profile = PROFILES.find((known) => known === name) ?? 'everything';

for (let seed = 1; seed <= Number(most); seed += 1) {
  // G0 is not a guarantee: a bug that only makes the feed throw does not count as found.
  const violation = (await simulate(makePlan(seed, profile))).violations.find(
    ({ guarantee }) => guarantee !== 'G0',
  );
  if (violation === undefined) continue;
  console.log(JSON.stringify({ seed, ...violation }));
  break;
}
