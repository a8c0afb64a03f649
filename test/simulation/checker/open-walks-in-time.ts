// G1: the next cycle finds changes that polls don't see. In a calm store walks over old open groups end every few minutes.
import type { Evidence, SourceEvidence, Time, Violation } from './evidence.ts';

const SECOND = 1_000_000;

export function checkOpenWalksInTime(
  { openWalksEnd }: Evidence,
  { source, openWalks, baselineCompletedAt }: SourceEvidence,
): Violation[] {
  if (openWalksEnd === undefined || baselineCompletedAt === undefined) return [];
  const { every, until } = openWalksEnd;
  const ends = [baselineCompletedAt, ...openWalks.map(({ endedAt }) => Math.min(endedAt, until)), until];
  const longest = Math.max(...ends.slice(1).map((end, index) => end - (ends[index] as Time)));
  if (longest <= every) return [];
  return [
    {
      guarantee: 'G1',
      source,
      message: `no walk over open groups ended for ${Math.round(longest / SECOND)} s`,
    },
  ];
}
