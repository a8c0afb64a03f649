// What came of a parcel that was followed, a sentence for each warehouse.
import type { Followed, Outcome } from './follow-a-parcel.ts';

/** What went wrong on the way comes first. */
export function inSentences({ failures, onQueue, onBus }: Followed): string[] {
  return [...failures, `on the queue: ${sentence(onQueue)}`, `on the bus: ${sentence(onBus)}`];
}

/** What each workflow was called and ended with; of one that failed what it failed with. */
function sentence({ workflows }: Outcome): string {
  const told = Object.entries(workflows).map(([name, end]) => `${name}: ${decisionsIn(end)}`);
  return told.join('; ') || 'no workflow';
}

function decisionsIn(end: unknown): string {
  if (typeof end === 'string') return end;
  const { decisions } = end as { decisions: { part: string; decision: string }[] };
  return decisions.map(({ part, decision }) => `${part} ${decision}`).join(', ');
}
