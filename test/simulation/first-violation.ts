// find-bugs.ts starts this in a tree with a bug.
import { printFirstViolation, readSeeds } from '../simulation-frame/print-first-violation.ts';
import { drawPlan } from './draw-plan.ts';
import { PROFILES } from './plan.ts';
import { simulate } from './simulate.ts';

const [, , name, seeds = '1-500'] = process.argv;
const profile = PROFILES.find((known) => known === name) ?? 'plausible';

await printFirstViolation(readSeeds(seeds), 'G0', (seed) => simulate(drawPlan(seed, profile)));
