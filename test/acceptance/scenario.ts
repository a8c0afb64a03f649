import type { Behaviour } from './outside-service.ts';
import type { Random } from './random.ts';

/** A behaviour that the service's document allows, and the expected result of a feed that reads it. */
export interface Scenario {
  readonly name: string;
  readonly about: string;
  /** Draws the details from the seed. */
  readonly draw: (random: Random) => Behaviour;
  readonly watch?: Readonly<Record<string, string>>;
  /** How long the service changes after the feed starts to watch; 25 s by default. */
  readonly busyMs?: number;
  /** Maximum time from the last change until everything is published; 45 s by default. */
  readonly quietMs?: number;
  /**
   * `complete`: every change is published. `complete or said`: the feed may report that it can't read everything.
   * `held`: nothing is published after the restart, and the feed reports the hold.
   */
  readonly expects?: 'complete' | 'complete or said' | 'held';
  /** The problem that `status` reports although everything is published; by default it reports none. */
  readonly reports?: 'rows_fail' | 'clock' | 'behind';
  /** Ends the feed this long after the start, and restarts it on the same directory. */
  readonly restart?: {
    readonly afterMs: number;
    readonly signal: 'SIGINT' | 'SIGKILL';
    /** The store that the token shows after the restart; without it, the same store. */
    readonly otherStore?: (random: Random) => Behaviour;
  };
  /** The first change waits until the feed reports that its baseline is complete. */
  readonly afterBaseline?: boolean;
  readonly unreadableMoney?: boolean;
  /** Fields that the service never showed before; their first changes may go unpublished for 20 s. */
  readonly firstShown?: readonly string[];
  /** Whether events are forwarded to a receiver that sometimes fails, and always rejects some returns. */
  readonly isForwarded?: boolean;
  /** Whether it takes six minutes, because the feed may take five to report what it can't read. */
  readonly long?: boolean;
}

/** Five minutes since the last complete walk, plus the time that a busy machine takes for both and for `status`. */
export const SAID_WITHIN_MS = 400_000;
