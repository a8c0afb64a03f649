// Describes the result of a followed parcel, one sentence per warehouse.
import type { Followed, Outcome } from './follow-a-parcel.ts';

/** Problems first. */
export function inSentences({ failures, onQueue, onBus }: Followed): string[] {
  return [...failures, `on the queue: ${sentence(onQueue)}`, `on the bus: ${sentence(onBus)}`];
}

/** The name and the result of each workflow, or its error. */
function sentence({ workflows }: Outcome): string {
  const results = Object.entries(workflows).map(([name, end]) => `${name}: ${decisionsIn(end)}`);
  return results.join('; ') || 'no workflow';
}

function decisionsIn(end: unknown): string {
  if (typeof end === 'string') return end;
  const { decisions } = end as { decisions: { part: string; decision: string }[] };
  return decisions.map(({ part, decision }) => `${part} ${decision}`).join(', ');
}
