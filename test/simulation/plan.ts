// What one run is made of. Everything in it follows from its seed and its profile; a plan that is written down as JSON
// replays exactly, so a shrunk one can be told as a command.
import type { Knobs } from '../../local/reference-service/knobs.ts';

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
}

/** The service can't be asked for a while. */
export interface Outage {
  readonly kind: 'refused' | 'unavailable' | 'unreachable' | 'hanging';
  readonly fromMs: number;
  readonly forMs: number;
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

export interface Plan {
  readonly seed: number;
  /** Groups of the store at its opening. */
  readonly groups: number;
  /** How long the store lives and faults happen; then all is quiet until the feed has settled. */
  readonly activeMs: number;
  readonly changesPerSecond: number;
  /** Changes a minute that life would not make: a state that comes and goes, a crowd in one group. */
  readonly handsPerMinute: number;
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
  /** When the token is rotated, if it is. */
  readonly rotationMs?: number | undefined;
  /** Only these faults happen (`<call>#<count>`), whatever the rates say. */
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
};
