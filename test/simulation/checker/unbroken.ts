// G2: the events of each entity form a chain: the previous values of an event are the values of the event before it.
import type { SourceEvidence, Violation } from './evidence.ts';
import type { PublishedGroup } from './groups.ts';
import { fieldValue, isGone, type PublishedChange, WATCHED } from './states.ts';

export function checkUnbroken(
  source: SourceEvidence,
  published: ReadonlyMap<number, PublishedGroup>,
): Violation[] {
  const violations: Violation[] = [];
  for (const { groupId, entities } of published.values()) {
    for (const [name, changes] of entities) {
      if (changes[0]?.kind === 'refund_transaction') continue;
      changes.forEach((change, index) => {
        const problem = judgeLink(changes[index - 1], change);
        if (problem === undefined) return;
        const place = `${name} of group ${groupId}, number ${change.event.data.sequence}`;
        violations.push({ guarantee: 'G2', source: source.source, place, message: problem });
      });
    }
  }
  return violations;
}

function judgeLink(before: PublishedChange | undefined, now: PublishedChange): string | undefined {
  const { verb } = now;
  if (verb === 'created') {
    if (before === undefined || isGone(before)) return undefined;
    return 'was created twice';
  }
  if (verb === 'forgotten') return undefined;
  if (before !== undefined && isGone(before)) return `was ${verb} after it was ${before.verb}`;
  if (verb === 'removed') {
    if (before === undefined || before.state === now.state) return undefined;
    return `was removed as ${now.state}, and published before as ${before.state}`;
  }
  const previous = previousOf(now);
  const changed = Object.keys(previous);
  const named = 'changed' in now.event.data ? now.event.data.changed : [];
  if (JSON.stringify([...named].sort()) !== JSON.stringify([...changed].sort()))
    return `names ${named.join(', ')} as changed, and has the previous ${changed.join(', ')}`;
  if (changed.length === 0) return 'contains no change';
  if (verb === 'status_changed' && !changed.includes('status'))
    return 'is a status change without a changed status';
  if (verb === 'updated' && changed.includes('status'))
    return 'has a changed status, and is not a status change';
  return before && judgeFields(before, now, previous);
}

/** Each field's previous value (or, if it did not change, its present one) is the value of the event before. */
function judgeFields(
  before: PublishedChange,
  now: PublishedChange,
  previous: Readonly<Record<string, unknown>>,
): string | undefined {
  for (const field of WATCHED[now.kind as keyof typeof WATCHED]) {
    const was = textOf(before.event.data.object, field);
    const is = textOf(now.event.data.object, field);
    const said = field in previous ? textOf(previous, field) : is;
    if (said !== was) return `says that ${field} was ${said}, and it was published as ${was}`;
    if (field in previous && said === is) return `says that ${field} changed from ${said} to the same`;
  }
  return undefined;
}

function previousOf({ event }: PublishedChange): Readonly<Record<string, unknown>> {
  return 'previous_attributes' in event.data
    ? (event.data.previous_attributes as Record<string, unknown>)
    : {};
}

function textOf(fields: unknown, field: string): string {
  return JSON.stringify(fieldValue(fields as Record<string, unknown>, field));
}
