// The cases that plans must draw and that many runs must meet: every knob with each of its words, every fault of the
// service, every call with each of its fates. Without one of them, the runs prove less than they seem to.
import { FAULT_KINDS, KNOBS } from '../../local/reference-service/knobs.ts';
import { EVENT_SCHEMAS, type EventType } from '../../shared/contract/event.ts';
import { RHYTHM_MINUTES, SMALL_BUDGETS, WESTERN_TIME } from './draw-circumstances.ts';
import { BULKS, MISHAPS, NO_FAULTS, OPERATIONS, OUTAGES } from './plan.ts';
import { CALL_NAMES, CALLS } from './world/calls.ts';
import { FATES } from './world/fates.ts';

/** Number of runs in which every case must occur. In fewer runs cases may be missing by chance. */
export const ENOUGH_RUNS = 1_500;

/** Knobs, and words of knobs, that only strange plans turn, or none. */
const NOT_TURNED: ReadonlySet<string> = new Set([
  // The simulation runs no operators' searches.
  'strings',
  'badToken=empty',
  // Its proofs take more requests than small budgets have (docs/limits.md).
  'emptyAs=404',
  // These are turned in the middle of a run.
  ...['failingEvery', 'failingAs', 'brokenEvery'],
]);

const TURNS = [
  'failingEvery',
  'faultRate',
  'limitMax',
  'order',
  'stampForm',
  'newFields',
  'touches',
  'unreadableEvery',
  'brokenEvery',
  'values',
];

/** What the plans of `plausible` draw; simulate.ts names it. */
export function plannedCases(): string[] {
  return [
    ...(Object.keys(KNOBS) as (keyof typeof KNOBS)[]).flatMap(turnsOf),
    ...Object.keys(NO_FAULTS)
      .filter((rate) => rate !== 'clockJump')
      .map((rate) => `rate ${rate}`),
    ...OUTAGES.map((kind) => `outage ${kind}`),
    ...TURNS.map((name) => `turn ${name}`),
    ...BULKS.map((what) => `bulk of ${what}`),
    ...OPERATIONS.map((what) => `command ${what}`),
    ...MISHAPS.plausible.map((kind) => `plan of ${kind}`),
    ...['deleted', 'malformed'].map((kind) => `secret is ${kind}`),
    ...[
      'tooLarge',
      'rotationMs',
      'sweepMs',
      'stops',
      'rareValues',
      'night',
      'oldChanges',
      'cache',
      'lag',
      'isQuick',
    ].map((name) => `plan with ${name}`),
    ...['two sources', 'clocks off', 'tiny store'],
    ...['knob clockBehindSeconds', 'knob agingSeconds', `knob stampForm=${WESTERN_TIME}`],
    ...['limit without Retry-After', 'fifth of answers that fail, some with 429'],
    ...RHYTHM_MINUTES.map((minutes) => `walks every ${minutes} minutes`),
    ...SMALL_BUDGETS.map((budget) => `budget of ${budget}`),
  ];
}

/** Returns the cases that never occurred in many runs of `plausible`. */
export function missedBy(occurrences: ReadonlyMap<string, number>): readonly string[] {
  return [...plannedCases(), ...metCases()].filter((name) => !occurrences.has(name));
}

function* metCases(): Generator<string> {
  for (const kind of FAULT_KINDS) if (kind !== 'date-skewed') yield `fault ${kind}`;
  for (const call of CALL_NAMES) {
    yield `call ${call}`;
    for (const [fate] of FATES[CALLS[call]]) if (fate !== 'clock-jump') yield `${fate} ${call}`;
  }
  yield* MISHAPS.plausible.map((kind) => `mishap ${kind}`);
  yield* OPERATIONS.map((what) => `operator ${what}`);
  // Only an operator causes it.
  for (const type of Object.keys(EVENT_SCHEMAS) as EventType[])
    if (type !== 'feed.events_skipped') yield `published ${type}`;
  yield* ['flap', 'context', 'burst', 'crowd', 'money', 'refund'].map((hand) => `hand ${hand}`);
  yield* ['tick quiet', 'tick saved', 'tick long'];
  yield* ['answer of a cache', 'row of a copy that lags'];
  yield* ['change of an old group', 'change of a group that turns old'];
  yield* ['group too large to store', 'process stopped in a tick', 'happened store.load in part'];
}

/** A knob with words must take each word but its default; any other knob must take any other value. */
function turnsOf(name: keyof typeof KNOBS): string[] {
  const { values, byDefault, read } = KNOBS[name];
  if (NOT_TURNED.has(name)) return [];
  const words = values.split(' | ');
  const isOfWords = words.length > 1 && words.every((word) => typeof read(word) === 'string');
  if (!isOfWords) return [`knob ${name}`];
  return words
    .map((word) => `${name}=${word}`)
    .filter((turn) => turn !== `${name}=${String(byDefault)}` && !NOT_TURNED.has(turn))
    .map((turn) => `knob ${turn}`);
}
