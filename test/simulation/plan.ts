// What one run is made of. Everything in it follows from its seed and its profile; a plan that is written down as JSON
// replays exactly, so a shrunk one can be told as a command.
import type { Knobs } from '../../local/reference-service/knobs.ts';
import type { LastingFault } from './lasting-fault.ts';
import type { MishapName } from './mishap-names.ts';
import type { Operation } from './operation-names.ts';
import type { Turn } from './turn.ts';

/** Shares of calls (of ticks, records, entries) that something happens to, from 0 to 1. */
export interface FaultRates {
  /** The process ends before or after the call. */
  readonly crash: number;
  /** The call throws and had no effect. */
  readonly fail: number;
  /** The call had its effect, and throws. */
  readonly lost: number;
  /** The call is carried out twice, as by a client that did not hear the first answer. */
  readonly twice: number;
  /** The call takes seconds. */
  readonly slow: number;
  /** The process stands still, with the answer at hand, for up to minutes. */
  readonly freeze: number;
  /** The process's clock is set. */
  readonly clockJump: number;
  /** The store answers only a part of what a batch asked for. */
  readonly partial: number;
  readonly tickLost: number;
  readonly tickDoubled: number;
  readonly tickLate: number;
  readonly recordLost: number;
  readonly recordDoubled: number;
  readonly recordLate: number;
  /** An entry of a batch fails, the others do not. */
  readonly entryFailed: number;
  /** An entry is refused for its content. */
  readonly entryRefused: number;
}

/** The service can't be asked for a while. */
export interface Outage {
  readonly kind: 'refused' | 'unavailable' | 'unreachable' | 'hanging';
  readonly fromMs: number;
  readonly forMs: number;
}

/** Something that looks like another store, or another way to answer: what guards are there for. */
export interface Mishap {
  readonly kind: MishapName;
  /** Not before; then as soon as everything was walked once after the baseline. */
  readonly fromMs: number;
  /** After so long a mistake is mended, and what is so is released. */
  readonly forMs: number;
}

/**
 * What is wrong with the secret. `deleted` and `malformed`: whoever reads it gets no token. `newline`: what the second
 * source reads ends in one, and both sources are one to the service.
 */
export interface SecretTrouble {
  readonly kind: 'deleted' | 'malformed' | 'newline';
  readonly fromMs: number;
  readonly forMs: number;
}

/** A scheduler whose clock is ahead brings one tick; then its clock is right again. */
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
  readonly requestTimeoutMs: number;
}

/** What is drawn at all; profiles.ts. */
export const PROFILES = ['polls', 'everything', 'guards'] as const;
export type Profile = (typeof PROFILES)[number];

export interface Plan {
  readonly seed: number;
  /** Groups of the store at its opening. */
  readonly groups: number;
  /** How long the store lives and faults happen; then all is quiet until the feed has settled. */
  readonly activeMs: number;
  readonly changesPerSecond: number;
  /** Changes a minute that life would not make: a state that comes and goes, a crowd in one group. */
  readonly handsPerMinute: number;
  /** No item has an RMA number at first, and the hands give them some and do nothing else. */
  readonly numbersLater?: boolean | undefined;
  /** Whether a group may get more entities than one transaction has room for. */
  readonly crowds: boolean;
  /** Those of the reference service that are not as by default. */
  readonly knobs: Partial<Knobs>;
  readonly settings: SimulatedSettings;
  /** Sources that read the same store with the same token, of one deployment. */
  readonly sources: number;
  /** How long a tick may work. */
  readonly tickMs: number;
  readonly faults: FaultRates;
  /** How far the clocks of processes may be off. */
  readonly clockSkewMs: number;
  /** How likely a tick meets a process that is warm. */
  readonly warm: number;
  /** Whether a process that exceeds its time is ended, as Lambda does. */
  readonly endsOverdue: boolean;
  readonly outage?: Outage | undefined;
  readonly mishap?: Mishap | undefined;
  readonly lasting?: LastingFault | undefined;
  readonly turns?: readonly Turn[] | undefined;
  readonly secret?: SecretTrouble | undefined;
  readonly earlySlot?: EarlySlot | undefined;
  /** When the token is rotated, if it is. */
  readonly rotationMs?: number | undefined;
  /** When the ledger is swept besides at the end, if it is. */
  readonly sweepMs?: number | undefined;
  /** What an operator does, in the order of time. */
  readonly operations?: readonly Operation[] | undefined;
  /** Whether the feed is held to what only reconciliation can find; then it gets the time for it. */
  readonly reconciles: boolean;
  /** Only these faults happen (`<call>#<count>`), whatever the rates say. */
  readonly only?: readonly string[] | undefined;
}

/**
 * Whether the service, its access and the schedule stay what they are from the start to the end. Where they do not, what
 * each field of an event may carry depends on the moment, and only the guarantees are judged.
 */
export function isSteady({ lasting, turns = [], secret, earlySlot }: Plan): boolean {
  return lasting === undefined && turns.length === 0 && secret === undefined && earlySlot === undefined;
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

/** Nothing goes wrong in it, and the service is an ordinary one. */
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

/** The plan as short as it can be told: what is not as in the plain one. */
export function abbreviatePlan(plan: Plan): Record<string, unknown> {
  return differenceOf(plan as unknown as Fields, PLAIN_PLAN as unknown as Fields);
}

/** The plan that a part of one stands for; the rest is as in the plain one. */
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
