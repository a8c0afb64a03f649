// find-bugs.ts starts this in a tree with a bug.
import { printFirstViolation } from '../simulation-frame/print-first-violation.ts';
import { drawPlan } from './draw-plan.ts';
import { PROFILES } from './plan.ts';
import { simulate } from './simulate.ts';

const [, , name, most = '500'] = process.argv;
const profile = PROFILES.find((known) => known === name) ?? 'plausible';

await printFirstViolation(Number(most), 'G0', (seed) => simulate(drawPlan(seed, profile)));
