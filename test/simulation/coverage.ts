// The cases that a large number of runs must cover: every knob with each of its words, every fault of the service,
// every call with each of its possible fates. Without one of them, the runs prove less than they seem to.
import { KNOBS, type KnobName } from '../../local/reference-service/knobs.ts';
import { FAULT_KINDS } from '../../local/reference-service/service/fault-kinds.ts';
import { EVENT_SCHEMAS, type EventType } from '../../shared/contract/event.ts';
import type { Guard } from '../../shared/guarding/guarding-state.ts';
import { FAULT_ANSWERS, FAULTY_PARAMETERS } from './lasting-fault.ts';
import { MISHAP_NAMES, MISHAP_OF_LOOK_UPS } from './mishap-names.ts';
import { OPERATION_NAMES } from './operation-names.ts';
import { HELD_CHANGES, NO_FAULTS, SHOWN_VALUES } from './plan.ts';
import { TURNS } from './turn.ts';
import { CALL_NAMES, CALLS } from './world/calls.ts';
import { FATES } from './world/fates.ts';

/** Number of runs in which every case must occur. In fewer runs cases may be missing by chance. */
export const ENOUGH_RUNS = 1_500;
/** Cases that occur less often may have occurred by chance. */
const OFTEN_ENOUGH = 5;

/** Knobs, and words of knobs, that no plan uses, each with its reason. */
const NOT_TURNED: ReadonlySet<string> = new Set([
  // The simulation runs no operators' searches, and the feed requests no allowlist items.
  'strings',
  'allowlistItems',
  // It is turned in the middle of a run only.
  'filterSkewSeconds',
  // Plans draw the mixture of all of them.
  ...KNOBS.unreadableAs.values.split(' | ').map(asUnreadable),
  ...['future', 'far', 'past', 'created'].map((word) => `absurdStamps=${word}`),
]);

function asUnreadable(word: string): string {
  return `unreadableAs=${word}`;
}

/** Returns the cases that never occurred, and those that occurred so seldom that a small change may remove them. */
export function missedBy(occurrences: ReadonlyMap<string, number>): {
  readonly never: readonly string[];
  readonly seldom: readonly string[];
} {
  const all = [...expected()];
  const timesOf = (name: string) => occurrences.get(name) ?? 0;
  return {
    never: all.filter((name) => timesOf(name) === 0),
    seldom: all.filter((name) => timesOf(name) > 0 && timesOf(name) < OFTEN_ENOUGH),
  };
}

function* expected(): Generator<string> {
  for (const name of Object.keys(KNOBS) as KnobName[]) yield* turnsOf(name);
  for (const kind of FAULT_KINDS) yield `fault ${kind}`;
  for (const call of CALL_NAMES) {
    yield `call ${call}`;
    for (const [fate] of FATES[CALLS[call]]) yield `${fate} ${call}`;
  }
  yield* HAPPENINGS;
}

/** A knob with words must take each word but its default; any other knob must take any other value. */
function turnsOf(name: KnobName): string[] {
  const { values, byDefault, read } = KNOBS[name];
  if (NOT_TURNED.has(name)) return [];
  const words = values.split(' | ');
  const isOfWords = words.length > 1 && words.every((word) => typeof read(word) === 'string');
  if (!isOfWords) return [`knob ${name}`];
  return words
    .filter((word) => word !== byDefault && !NOT_TURNED.has(`${name}=${word}`))
    .map((word) => `knob ${name}=${word}`);
}

const GUARDS = [
  'known_group_not_found',
  'known_range_empty',
  'groups_removed',
  'entities_removed',
  'changed_without_stamps',
] as const satisfies readonly Guard[];

const LASTING_SHAPES = [
  'offset',
  'limit',
  'range',
  'id in look-ups',
  'id in pages',
  ...FAULTY_PARAMETERS.map((name) => `parameter ${name}`),
  'array',
];

const LOOK_UP_FAULTS = ['look-ups of existing', 'look-ups of some'].flatMap((shape) => [
  `lasting ${shape}`,
  `lasting ${shape} for ever`,
]);

/**
 * The first occurs only if the group whose look-ups fail is removed, the second only if a destination rejects the event
 * that an operator names at that moment: a few times in ten thousand runs. Unit tests cover them (one-failing-look-up,
 * redrive).
 */
const TOO_SELDOM: ReadonlySet<string> = new Set(['lasting id in look-ups', 'operator steps over an event']);

/** Every type but the one that only an operator causes. */
const PUBLISHED = (Object.keys(EVENT_SCHEMAS) as EventType[]).filter(
  (type) => type !== 'feed.events_skipped',
);

const HAPPENINGS = [
  ...OPERATION_NAMES.map((name) => `operator ${name}`),
  ...PUBLISHED.map((type) => `published ${type}`),
  'published after its removal',
  ...MISHAP_NAMES.filter((kind) => kind !== MISHAP_OF_LOOK_UPS).map((kind) => `mishap ${kind}`),
  ...SHOWN_VALUES.map((values) => `mishap, values ${values}`),
  ...HELD_CHANGES.map((changes) => `held groups change: ${changes}`),
  ...GUARDS.flatMap((guard) => [`guard ${guard}`, `released ${guard}`, `mended ${guard}`]),
  'happened store.load in part',
  ...['late', 'lost', 'doubled'].map((what) => `happened tick ${what}`),
  ...['queue', 'bus'].flatMap((side) => [
    ...['late', 'lost', 'doubled'].map((what) => `happened ${side} record ${what}`),
    ...['refuses', 'entry', 'entry arrives', 'answer'].map((what) => `happened ${side}.send ${what}`),
  ]),
  ...['flap', 'context', 'burst', 'crowd', 'number', 'money', 'refund'].map((hand) => `hand ${hand}`),
  ...['refused', 'unavailable', 'unreachable', 'hanging'].map((kind) => `outage ${kind}`),
  ...Object.keys(NO_FAULTS).map((rate) => `rate ${rate}`),
  ...LASTING_SHAPES.flatMap((shape) => [
    `lasting ${shape}`,
    `lasting ${shape} for ever`,
    `lasting ${shape} for a while`,
  ]).filter((name) => !TOO_SELDOM.has(name)),
  ...LOOK_UP_FAULTS,
  ...FAULT_ANSWERS.map((what) => `lasting answer ${what}`),
  ...[...TURNS, 'filterSkewSeconds'].flatMap((knob) => [`turned ${knob}`, `turned back ${knob}`]),
  ...['deleted', 'malformed', 'newline'].map((kind) => `secret ${kind}`),
  ...[1, 365].map((days) => `slot ahead by ${days} days`),
  'knob nulls without stamps',
  'knob arrays without stamps',
  'token rotated',
  'two sources',
  'clocks off',
  'overdue process left alive',
  'process stopped in a tick',
  'group too large to store',
];
