// The definition of one run. Seed and profile determine all of it (draw-plan.ts). A plan written as JSON replays exactly,
// so a shrunk plan can be printed as a command.
import type { Knobs } from '../../local/reference-service/knobs.ts';

/**
 * `plausible`: the service that the feed is built for, with every fault of processes, stores and schedules. Every check
 * applies. `strange`: a service that breaks its promises. The feed reports it and never publishes out of order.
 */
export const PROFILES = ['plausible', 'strange'] as const;
export type Profile = (typeof PROFILES)[number];

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

export interface Period {
  readonly fromMs: number;
  readonly forMs: number;
}

export const OUTAGES = ['refused', 'unavailable', 'unreachable', 'hanging'] as const;

/** A period in which the service can't be read. */
export interface Outage extends Period {
  readonly kind: (typeof OUTAGES)[number];
}

/** Changes that make a store look like another one: mistakes, or real ones that an operator releases (mishaps.ts). */
export const MISHAPS = {
  plausible: [
    ...['other store', 'empty store', 'other address', 'address moved'],
    ...['groups removed', 'store emptied', 'store replaced', 'shipments removed'],
    ...['mass change', 'mass change, and released', 'mass change, and adopted', 'groups hidden for a moment'],
  ],
  strange: [
    ...['blind token', 'lists empty', 'lists empty, and released', 'groups hidden', 'shipments hidden'],
    ...['look-ups answered otherwise', 'answered otherwise', 'changed without stamps'],
  ],
} as const satisfies Record<Profile, readonly string[]>;
export type MishapName = (typeof MISHAPS)[Profile][number];

/** It begins at its time, or when the baseline is completed if that is later. */
export interface Mishap extends Period {
  readonly kind: MishapName;
}

/** Knobs that have other values for a while, or until the end. */
export interface Turn {
  readonly atMs: number;
  readonly knobs: Partial<Knobs>;
  readonly forMs?: number | undefined;
}

export const BULKS = ['update', 'unstamped update', 'import'] as const;

/** Many groups change, or are created, at one moment. */
export interface Bulk {
  readonly what: (typeof BULKS)[number];
  readonly atMs: number;
  readonly groups: number;
}

/** The secret is deleted, or holds no token. */
export interface SecretFault extends Period {
  readonly kind: 'deleted' | 'malformed';
}

export const OPERATIONS = [
  'replay',
  'replay from',
  'redrive',
  'redrive and skip',
  'forget',
  'restore',
  'upgrade',
] as const;

/** An operator's command. */
export interface Operation {
  readonly what: (typeof OPERATIONS)[number];
  readonly atMs: number;
}

export interface SimulatedSettings {
  readonly intervalMs: number;
  readonly baseline: 'silent' | 'emit';
  readonly lookbackMs: number;
  readonly settleMs: number;
  /** Undefined: as often as walks are cheap. */
  readonly reconcileMs: number | undefined;
  /** Of all sources together. */
  readonly requestsPerMinute: number;
  readonly customerData: boolean;
  readonly sourceRead: boolean;
  readonly requestTimeoutMs: number;
}

export interface Plan {
  readonly seed: number;
  readonly profile: Profile;
  /** Groups of the store at its opening. */
  readonly groups: number;
  /** How long changes and faults happen. After that the run waits until the feed has settled. */
  readonly activeMs: number;
  readonly changesPerSecond: number;
  /** Rare changes per minute: a state that comes and goes, many entities in one group. */
  readonly handsPerMinute: number;
  /** Whether changes by hand also set values that the service's document allows, but that are rare. */
  readonly rareValues?: boolean | undefined;
  /** The reference service's knobs that differ from the defaults. */
  readonly knobs: Partial<Knobs>;
  readonly settings: SimulatedSettings;
  /** Number of sources in the deployment that read the same store with the same token. */
  readonly sources: number;
  /** How long a tick may work. */
  readonly tickMs: number;
  /** Whether quick ticks come first, and long ones only when these ask for them. */
  readonly isQuick?: boolean | undefined;
  readonly faults: FaultRates;
  /** The maximum error of processes' clocks. */
  readonly clockSkewMs: number;
  /** The probability that a tick gets a warm process. */
  readonly warm: number;
  /** Whether a process that exceeds its time is ended, as Lambda does. */
  readonly endsOverdue: boolean;
  readonly outages: readonly Outage[];
  readonly turns: readonly Turn[];
  readonly bulks: readonly Bulk[];
  /** The operator's commands, in order of time. */
  readonly operations: readonly Operation[];
  readonly mishap?: Mishap | undefined;
  readonly secret?: SecretFault | undefined;
  /** When returns that are about 45 days old, or older, change without a stamp, and how often. */
  readonly oldChanges?: (Period & { readonly changes: number }) | undefined;
  /** A cache before the service keeps answers for so long, and gives them out with their age. */
  readonly cache?: { readonly keptMs: number; readonly heedsNoCache: boolean } | undefined;
  /** When a share of the walks' requests and look-ups is answered by a copy that lags (lagging-copy.ts). */
  readonly lag?: (Period & { readonly behindMs: number; readonly share: number }) | undefined;
  /** A time without a tick, longer than the brake judges, in which most groups change unless it is quiet. */
  readonly night?: (Period & { readonly isQuiet?: boolean }) | undefined;
  /** A tick of a scheduler whose clock is ahead by so many days. */
  readonly earlySlot?: { readonly atMs: number; readonly days: number } | undefined;
  /** When the store accepts no larger version of a third of the groups. */
  readonly tooLarge?: Period | undefined;
  /** When the token is rotated, if it is. */
  readonly rotationMs?: number | undefined;
  /** When the ledger is swept in addition to the end, if it is. */
  readonly sweepMs?: number | undefined;
  /** The share of ticks in whose middle the process is asked to stop, if any. */
  readonly stops?: number | undefined;
  /** If given, only these faults happen (`<call>#<count>`), independent of the rates. */
  readonly only?: readonly string[] | undefined;
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
  profile: 'plausible',
  groups: 8,
  activeMs: 300_000,
  changesPerSecond: 0.1,
  handsPerMinute: 0,
  knobs: {},
  settings: {
    intervalMs: 60_000,
    baseline: 'silent',
    lookbackMs: 300_000,
    settleMs: 60_000,
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
  outages: [],
  turns: [],
  bulks: [],
  operations: [],
};

const NESTED = ['settings', 'faults', 'knobs'] as const;
type Fields = Readonly<Record<string, unknown>>;

/** Returns the plan's differences from the plain plan. */
export function abbreviatePlan(plan: Plan): Fields {
  const differences = differencesOf(plan as unknown as Fields, PLAIN_PLAN as unknown as Fields);
  const nested = NESTED.filter((name) => name in differences).map((name) => [
    name,
    differencesOf(plan[name] as unknown as Fields, PLAIN_PLAN[name] as unknown as Fields),
  ]);
  return { ...differences, ...Object.fromEntries(nested) };
}

/** Completes a part of a plan with `base`. */
export function completePlan(part: Fields, base: Plan = PLAIN_PLAN): Plan {
  const nested = NESTED.map((name) => [name, { ...base[name], ...((part[name] ?? {}) as object) }]);
  return { ...base, ...part, ...Object.fromEntries(nested) } as Plan;
}

function differencesOf(fields: Fields, plain: Fields): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(plain[name]),
    ),
  );
}
