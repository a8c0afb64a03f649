// The definition of one run. Seed and profile determine all of it. A plan written as JSON replays exactly, so a shrunk
// plan can be printed as a command.
import type { Knobs } from '../../local/reference-service/knobs.ts';
import type { LastingFault } from './lasting-fault.ts';
import type { MishapName } from './mishap-names.ts';
import type { Operation } from './operation-names.ts';
import type { Turn } from './turn.ts';

/** Shares of calls (of ticks, records, entries) with a fault, from 0 to 1. */
export interface FaultRates {
  /** The process ends before or after the call. */
  readonly crash: number;
  /** The call throws without an effect. */
  readonly fail: number;
  /** The call has its effect, and throws. */
  readonly lost: number;
  /** The call runs twice, like with a client that did not receive the first answer. */
  readonly twice: number;
  /** The call takes seconds. */
  readonly slow: number;
  /** The process freezes for up to minutes, after the answer arrived. */
  readonly freeze: number;
  /** The process's clock is set. */
  readonly clockJump: number;
  /** The store answers only part of a batch. */
  readonly partial: number;
  readonly tickLost: number;
  readonly tickDoubled: number;
  readonly tickLate: number;
  readonly recordLost: number;
  readonly recordDoubled: number;
  readonly recordLate: number;
  /** An entry of a batch fails, the others do not. */
  readonly entryFailed: number;
  /** An entry is rejected for its content. */
  readonly entryRefused: number;
}

/** A period in which the service can't be read. */
export interface Outage {
  readonly kind: 'refused' | 'unavailable' | 'unreachable' | 'hanging';
  readonly fromMs: number;
  readonly forMs: number;
}

/**
 * How groups change while they are held: most of them with newer stamps, or some without; or the held values become true.
 * In the last case no reader can know that they did.
 */
export const HELD_CHANGES = [
  'with stamps',
  'without stamps',
  'most become true',
  'all become true',
  'all become true without stamps',
] as const;
export type HeldChange = (typeof HELD_CHANGES)[number];

/** Values that differ only in their last letters, or of entities whose ids have blanks. */
export const SHOWN_VALUES = ['long', 'of ids with blanks'] as const;
export type ShownValues = (typeof SHOWN_VALUES)[number];

/** A change that looks like another store, or like another notation. Guards must hold it. */
export interface Mishap {
  readonly kind: MishapName;
  /** The earliest start; the actual one is after the first full walk that follows the baseline. */
  readonly fromMs: number;
  /** Time until a mistake is undone, or a real change is released. */
  readonly forMs: number;
  /** How held groups change meanwhile, if they do. */
  readonly changes?: HeldChange | undefined;
  /** The values that a service shows when it answers otherwise. Without it, it shows statuses in small letters. */
  readonly values?: ShownValues | undefined;
  /** Whether another mistake follows once the changes of a real one were released and published. */
  readonly isFollowed?: boolean | undefined;
}

/**
 * A faulty secret. `deleted` and `malformed`: readers get no token. `newline`: the second source's secret ends in a
 * newline, and the service treats both tokens as the same.
 */
export interface SecretFault {
  readonly kind: 'deleted' | 'malformed' | 'newline';
  readonly fromMs: number;
  readonly forMs: number;
}

/** One tick of a scheduler whose clock is ahead; then its clock is right again. */
export interface EarlySlot {
  readonly atMs: number;
  readonly aheadMs: number;
}

export interface SimulatedSettings {
  readonly intervalMs: number;
  readonly baseline: 'silent' | 'emit';
  readonly lookbackMs: number;
  readonly settleMs: number;
  readonly reconcileMs: number;
  readonly requestsPerMinute: number;
  readonly customerData: boolean;
  readonly sourceRead: boolean;
  readonly requestTimeoutMs: number;
}

/** The kinds of plans; profiles.ts. */
export const PROFILES = ['polls', 'everything', 'guards', 'look-ups', 'open-groups'] as const;
export type Profile = (typeof PROFILES)[number];

export interface Plan {
  readonly seed: number;
  /** Groups of the store at its opening. */
  readonly groups: number;
  /** Further groups that are created at one moment before the feed begins. */
  readonly imported?: number | undefined;
  /** How long changes and faults happen. After that the run waits until the feed has settled. */
  readonly activeMs: number;
  readonly changesPerSecond: number;
  /** Rare changes per minute: a state that comes and goes, many entities in one group. */
  readonly handsPerMinute: number;
  /** Whether no item has an RMA number at first, and the only changes by hand add some. */
  readonly numbersLater?: boolean | undefined;
  /** Whether changes by hand also set values that the service's document allows, but that are rare. */
  readonly rareValues?: boolean | undefined;
  /** Whether a group may get more entities than one transaction has room for. */
  readonly crowds: boolean;
  /** The reference service's knobs that differ from the defaults. */
  readonly knobs: Partial<Knobs>;
  readonly settings: SimulatedSettings;
  /** Number of sources in the deployment that read the same store with the same token. */
  readonly sources: number;
  /** How long a tick may work. */
  readonly tickMs: number;
  readonly faults: FaultRates;
  /** The maximum error of processes' clocks. */
  readonly clockSkewMs: number;
  /** The probability that a tick gets a warm process. */
  readonly warm: number;
  /** Whether a process that exceeds its time is ended, as Lambda does. */
  readonly endsOverdue: boolean;
  readonly outage?: Outage | undefined;
  readonly mishap?: Mishap | undefined;
  readonly lasting?: LastingFault | undefined;
  readonly turns?: readonly Turn[] | undefined;
  readonly secret?: SecretFault | undefined;
  readonly earlySlot?: EarlySlot | undefined;
  /** When the store accepts no larger version of a third of the groups, if it ever does so. */
  readonly tooLarge?: Pick<Outage, 'fromMs' | 'forMs'> | undefined;
  /** When the token is rotated, if it is. */
  readonly rotationMs?: number | undefined;
  /** When the ledger is swept in addition to the end, if it is. */
  readonly sweepMs?: number | undefined;
  /** The share of ticks in whose middle the process is asked to stop, if any. */
  readonly stops?: number | undefined;
  /** The operator's commands, in order of time. */
  readonly operations?: readonly Operation[] | undefined;
  /** The longest time between the ends of two walks over old open groups, in a plan where nothing delays them. */
  readonly openWalksEndEveryMs?: number | undefined;
  /** Whether the feed must find changes that only reconciliation finds. Then it gets the time for it. */
  readonly reconciles: boolean;
  /** If given, only these faults happen (`<call>#<count>`), independent of the rates. */
  readonly only?: readonly string[] | undefined;
}

/**
 * Returns whether the service, its access and the schedule stay the same during the run. If not, the correct content of a
 * field depends on the moment, and only the guarantees are checked.
 */
export function isSteady({ lasting, turns = [], secret, earlySlot }: Plan): boolean {
  return lasting === undefined && turns.length === 0 && secret === undefined && earlySlot === undefined;
}

/** Returns whether the service's Date is ahead of its stamps. */
export function isDateAhead({ dateSkewSeconds = 0, stampForm }: Partial<Knobs>): boolean {
  return dateSkewSeconds > 0 || stampForm?.startsWith('none:-') === true;
}

export const NO_FAULTS: FaultRates = {
  crash: 0,
  fail: 0,
  lost: 0,
  twice: 0,
  slow: 0,
  freeze: 0,
  clockJump: 0,
  partial: 0,
  tickLost: 0,
  tickDoubled: 0,
  tickLate: 0,
  recordLost: 0,
  recordDoubled: 0,
  recordLate: 0,
  entryFailed: 0,
  entryRefused: 0,
};

/** A plan without faults, with a service of default behaviour. */
export const PLAIN_PLAN: Plan = {
  seed: 1,
  groups: 8,
  activeMs: 60_000,
  changesPerSecond: 0.3,
  handsPerMinute: 0,
  crowds: false,
  knobs: {},
  settings: {
    intervalMs: 10_000,
    baseline: 'silent',
    lookbackMs: 60_000,
    settleMs: 5_000,
    reconcileMs: 600_000,
    requestsPerMinute: 240,
    customerData: false,
    sourceRead: true,
    requestTimeoutMs: 10_000,
  },
  sources: 1,
  tickMs: 50_000,
  faults: NO_FAULTS,
  clockSkewMs: 0,
  warm: 1,
  endsOverdue: true,
  reconciles: false,
};

/** Returns the plan's differences from the plain plan. */
export function abbreviatePlan(plan: Plan): Record<string, unknown> {
  return differenceOf(plan as unknown as Fields, PLAIN_PLAN as unknown as Fields);
}

/** Completes a part of a plan with `base`. */
export function completePlan(part: Record<string, unknown>, base: Plan = PLAIN_PLAN): Plan {
  const nested = (name: 'settings' | 'faults' | 'knobs') => ({
    ...base[name],
    ...((part[name] ?? {}) as object),
  });
  return {
    ...base,
    ...part,
    settings: nested('settings'),
    faults: nested('faults'),
    knobs: nested('knobs'),
  } as Plan;
}

type Fields = Readonly<Record<string, unknown>>;

function differenceOf(fields: Fields, plain: Fields): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      if (value === undefined || JSON.stringify(value) === JSON.stringify(plain[name])) return [];
      const isNested = name === 'settings' || name === 'faults' || name === 'knobs';
      return [[name, isNested ? differenceOf(value as Fields, plain[name] as Fields) : value]];
    }),
  );
}
