// Deliberate bugs of the feed, which find-bugs.ts puts into a copy of the tree. Each must be found in a few hundred seeds.
import type { Profile } from './plan.ts';

export interface Bug {
  /** The bug in one line. */
  readonly name: string;
  readonly file: string;
  /** Text that occurs once in the file. */
  readonly search: string;
  readonly replace: string;
  /** @default 'plausible' */
  readonly profile?: Profile;
}

export const BUGS: readonly Bug[] = [
  {
    name: 'an entry that a batch could not send counts as sent',
    file: 'shared/publishing/relay.ts',
    search: 'if (result?.sent) {',
    replace: "if (result?.sent || result?.cause === 'failed') {",
  },
  {
    name: "a replay goes beyond the destination's mark, and overtakes the relay",
    file: 'shared/publishing/replay.ts',
    search: 'to: Math.min(whole.to, sent) }',
    replace: 'to: Math.max(whole.to, sent) }',
  },
  {
    name: 'a reading that differs is published however soon after the last reading it comes',
    file: 'shared/comparing/stale-reads.ts',
    search: 'return sentAt >= receivedAt + settle;',
    replace: 'return sentAt + settle >= receivedAt;',
  },
];
