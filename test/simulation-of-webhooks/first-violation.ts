// find-bugs.ts starts this in a tree with a bug.
import { printFirstViolation } from '../simulation-frame/print-first-violation.ts';
import { drawPlan } from './draw-plan.ts';
import { simulate } from './simulate.ts';

await printFirstViolation(Number(process.argv[3] ?? 500), 'W0', (seed) => simulate(drawPlan(seed)));
