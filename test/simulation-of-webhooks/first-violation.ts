// find-bugs.ts starts this in a tree with a bug.
import { printFirstViolation, readSeeds } from '../simulation-frame/print-first-violation.ts';
import { drawPlan } from './draw-plan.ts';
import { simulate } from './simulate.ts';

await printFirstViolation(readSeeds(process.argv[3] ?? '1-500'), 'W0', (seed) => simulate(drawPlan(seed)));
