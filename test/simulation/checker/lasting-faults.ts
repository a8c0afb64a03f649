// The guarantees that hold while requests of one shape fail.
//
// After a temporary fault no event may be missing (G1), and the source is well again (G8).
//
// A permanent fault hides some facts from the feed. No event about them may be untrue (G5), and if an event about them
// is missing, the source must be degraded:
//
// - `offset`: nothing may be missing. The list is treated as a list window, whatever the answer: shorter ranges work.
//   Only a 500 and a missing answer give no reason, so they may be taken for an outage.
// - `parameter min_updated_at`: polls fail, so the source is not read completely. Walks must find everything.
// - `parameter min_created_at`: walks fail. Everything may be missing that polls don't show: a baseline, groups that
//   changed without a stamp, removals. This checker lets everything be missing.
// - `parameter return_group_id`: look-ups fail. Only removals may be missing. Once the token is exchanged, or a walk
//   is stuck at an empty range, everything may be missing: only the look-up of a known group proves that it is the same
//   store.
// - `limit`: every larger page fails. Everything may be missing, except after a 422, which names the limit. Where pages
//   of ten rows work, the feed asks for smaller pages: nothing stops, so nothing must be reported.
// - `range`: walks that touch a part of creation time fail there: as with `min_created_at`, everything may be missing.
// - `id in look-ups`: only the removal of that group may be missing.
// - `look-ups of some`: only the removals of the groups whose look-ups failed may be missing.
// - `look-ups of existing`: only removals may be missing, because another group's look-up must confirm them.
// - `id in pages`: everything may be missing, for polls and walks fail where they reach the group.
// - `array`: the feed can't know the entities in it, so no report is required.
//
// An answer without rows is not a failure. If it contradicts known groups, guards hold it, and the source is degraded.
// With `min_updated_at` only polls get such answers, and walks must find everything.
//
// A fault that stops all polls, or all walks, must be reported within three polls or five minutes after the first one
// is due.
import type { Arrival, Evidence, Lasting, SourceEvidence, Time } from './evidence.ts';
import { LONG_TICK, patienceOf } from './patience.ts';

const MINUTE = 60_000_000;

/** A missing event that a lasting fault may explain. */
export type Missing = { readonly groupId: number; readonly kind: string; readonly isRemoval: boolean };

/** Returns whether the array of such entities is omitted for some time. */
export function isLeftOut({ lasting }: Evidence, kind: string): boolean {
  return lasting !== undefined && ARRAYS[lasting.shape] === kind;
}

/** Returns whether the feed can't know an entity in the end, so that not even a report is required. */
export function isUnknowable(evidence: Evidence, kind: string): boolean {
  return evidence.lasting?.to === undefined && (isLeftOut(evidence, kind) || failsUnseen(evidence));
}

/** Without a zone, and with too few rows on a page, the stamps' clock stays unknown (guarantees.md, "Time"). */
function failsUnseen({ lasting, promises }: Evidence): boolean {
  return lasting?.shape === 'id in pages' && !promises.namesZones && !promises.keepsUp;
}

/**
 * Whether something that never ends, and that the source reports, explains the missing event: a fault, or a list that
 * takes too many requests. A walk that got on a moment
 * ago, in ranges that the fault does not affect, is not reported as stalled yet.
 */
export function isReported(evidence: Evidence, source: SourceEvidence, missing?: Missing): boolean {
  const { lasting, endedAt, promises } = evidence;
  if (!promises.keepsUp && codesLately(source, endedAt).some((code) => NOT_KEEPING_UP.has(code))) return true;
  if (lasting === undefined || lasting.to !== undefined) return false;
  const codes = codesLately(source, endedAt);
  return codes.length > 0 && (mayBeMissing(lasting, missing) || standsStill(lasting, codes));
}

const NOT_KEEPING_UP = new Set(['stalled', 'behind']);

/** Returns whether a walk is stuck: only a look-up can prove that a suddenly empty range belongs to the same store. */
function standsStill({ shape, mayEmptyRanges }: Lasting, codes: readonly string[]): boolean {
  return shape === 'parameter return_group_id' && mayEmptyRanges && codes.includes('stalled');
}

/**
 * The codes for which the source is degraded in the end, or was by a walk that has got on since; empty where it is
 * well.
 */
function codesLately({ written, interval }: SourceEvidence, endedAt: Time): string[] {
  const conditions = written.filter(({ event }) => CONDITIONS.has(event.type));
  const last = conditions.at(-1);
  if (last?.event.type === 'feed.source_degraded') return codesOf(last);
  const isLately = last !== undefined && endedAt - last.at <= patienceOf(interval) + LONG_TICK;
  return isLately ? codesOf(conditions.at(-2)).filter((code) => code === 'stalled') : [];
}

function codesOf(degraded: Arrival | undefined): string[] {
  const { event } = degraded ?? {};
  return event?.type === 'feed.source_degraded' ? event.data.object.reasons.map(({ code }) => code) : [];
}

const CONDITIONS = new Set<string>(['feed.source_degraded', 'feed.source_recovered']);

/** @param missing undefined for the source as a whole, which was not read completely */
function mayBeMissing(
  { shape, what, groups, exchangesToken }: Lasting,
  missing: Missing | undefined,
): boolean {
  switch (shape) {
    case 'offset':
      return what === '500' || what === 'hang';
    case 'limit':
      return what !== '422';
    case 'parameter return_group_id':
      return exchangesToken || missing === undefined || missing.isRemoval;
    case 'id in look-ups':
    case 'look-ups of existing':
      return missing === undefined || missing.isRemoval;
    case 'look-ups of some':
      return missing === undefined || (missing.isRemoval && groups.has(missing.groupId));
    case 'parameter min_updated_at':
      return missing === undefined;
    case 'range':
    case 'parameter min_created_at':
    case 'id in pages':
      return true;
    default:
      return false;
  }
}

/** Returns whether the first request to the service may have failed permanently. */
export function isStoppedFromTheStart({ lasting }: Evidence): boolean {
  if (lasting === undefined || lasting.to !== undefined) return false;
  return STOPS_THE_FIRST_LOOK.has(lasting.shape);
}

const STOPS_THE_FIRST_LOOK = new Set(['parameter min_updated_at', 'limit', 'id in pages']);

/** A walk halves a range whose requests hang, and makes progress meanwhile. A tick may have room for one of them. */
const NARROWED_WITHIN = 10 * MINUTE;

/** When a fault begins to stop polls or walks for good; undefined where it need not stop any. */
export function stoppedFrom({ lasting }: Evidence): Time | undefined {
  if (lasting === undefined || lasting.what === 'empty') return undefined;
  const { shape, what, from, cycle, letsFewRowsPass } = lasting;
  if (shape === 'parameter min_updated_at') return from;
  if (shape === 'limit') return what === '422' || letsFewRowsPass ? undefined : from;
  // A walk is due once in a cycle and may take another cycle; in the calm phase ticks are a cycle apart as well.
  if (shape === 'parameter min_created_at') return from + 4 * cycle;
  if (shape === 'range') return from + 4 * cycle + (what === 'hang' ? NARROWED_WITHIN : 0);
  return undefined;
}

const ARRAYS: Readonly<Record<string, string>> = {
  'array shipments': 'shipment',
  'array returns': 'return_line_item',
  'array exchange_line_items': 'exchange_line_item',
  'array refund_transactions': 'refund_transaction',
};
