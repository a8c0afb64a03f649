// Runs seeds from 1 on until one breaks a guarantee, and prints the violation as JSON. find-bugs.ts starts it in a tree
// with a bug.
import { drawPlan } from './draw-plan.ts';
import { simulate } from './simulate.ts';

const most = Number(process.argv[3] ?? 500);

for (let seed = 1; seed <= most; seed += 1) {
  const { violations } = await simulate(drawPlan(seed));
  // W0 is not a guarantee: a bug that only makes the feed throw does not count as found.
  const violation = violations.find(({ guarantee }) => guarantee !== 'W0');
  if (violation === undefined) continue;
  console.log(JSON.stringify({ seed, ...violation }));
  break;
}
