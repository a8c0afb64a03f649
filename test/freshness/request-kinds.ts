// Classifies requests by their parameters: the purpose, the range, the part of the range, and whether it is a repeat.
import type { Exchange } from './freshness-world.ts';

export type KindCounts = Readonly<Record<string, number>>;

/** A request is a repeat if one of this many previous requests was equal. */
const RECENT_REQUESTS = 8;

/** @param exchanges in order */
export function countKinds(exchanges: readonly Exchange[]): KindCounts {
  const counts: Record<string, number> = {};
  exchanges.forEach((exchange, index) => {
    const before = exchanges.slice(Math.max(0, index - RECENT_REQUESTS), index);
    const kind = kindOf(exchange, before);
    counts[kind] = (counts[kind] ?? 0) + 1;
  });
  return counts;
}

function kindOf({ query, purpose = 'read', groups }: Exchange, before: readonly Exchange[]): string {
  const asked = new URLSearchParams(query);
  if (asked.has('return_group_id')) return `${purpose}: look-up`;
  const rest = partOf(
    asked,
    groups.length,
    before.some((other) => other.query === query),
  );
  return `${purpose}: ${rangeOf(asked)}, ${rest}`;
}

function rangeOf(asked: URLSearchParams): string {
  const [updated, created] = ['updated_at', 'created_at'].map((axis) => {
    const [least, most] = [asked.has(`min_${axis}`), asked.has(`max_${axis}`)];
    return least && most ? 'closed' : least ? 'open end' : most ? 'open start' : undefined;
  });
  if (updated === undefined && created === undefined) return 'all groups';
  const parts = [updated && `updated ${updated}`, created && `created ${created}`];
  return parts.filter((part) => part !== undefined).join(' and ');
}

function partOf(asked: URLSearchParams, rows: number, isRepeated: boolean): string {
  if (asked.get('limit') === '1') return 'one row';
  const isBehind = Number(asked.get('offset') ?? 0) > 0;
  if (isBehind && rows === 0) return 'empty page behind the end';
  if (isRepeated) return isBehind ? 'later page again' : 'first page again';
  return isBehind ? 'later page' : 'first page';
}
