// GET /v2/return-groups: parses the thirteen parameters, queries the store, writes the page.

import { type Instant, SECOND } from '../../../shared/instant.ts';
import type { Knobs } from '../knobs.ts';
import type { RowWriter } from '../showing/row-writer.ts';
import { stampFormsOf, unitOf } from '../showing/stamp-form.ts';
import type { GroupFilter, GroupQuery, Range } from '../store/query.ts';
import type { StoredGroup } from '../store/stored-group.ts';
import { type Answer, answerOf } from './answer.ts';
import { answerWithFailingRow } from './failing-rows.ts';
import { behindWindow, withinWindow } from './list-window.ts';
import { pageLimit } from './page-limit.ts';
import { createParameterReader, type ParameterReader, type Problem, validationAnswer } from './validation.ts';

export interface ReturnGroupsContext {
  readonly knobs: Knobs;
  /** Time since the service started. */
  readonly age: Instant;
  readonly writeRow: RowWriter;
  readonly select: (query: GroupQuery) => StoredGroup[];
}

export function answerReturnGroups(parameters: URLSearchParams, context: ReturnGroupsContext): Answer {
  const { knobs } = context;
  const stamps = stampFormsOf(knobs);
  const query = readQuery(createParameterReader(parameters, stamps), context);
  if (Array.isArray(query)) return validationAnswer(query);
  const shown = withinWindow(query, knobs);
  if (shown === undefined) return behindWindow(knobs);
  const groups = context.select(shown);
  if (groups.some(({ id }) => isEach(id, knobs.failingEvery)))
    return answerWithFailingRow(knobs.failingAs, groups.length);
  const isLookUp = shown.groupId !== undefined;
  const listed = isLookUp ? groups : groups.filter(({ id }) => !isEach(id, knobs.hiddenEvery));
  const rows = listed.map(context.writeRow);
  const page = cutByBytes(rows, knobs.pageBytes);
  return { ...answerOf(200, `[${page.join(',')}]`, 'application/json'), rows: page.length };
}

function isEach(id: number, every: number): boolean {
  return every > 0 && id % every === 0;
}

function readQuery(read: ParameterReader, { knobs, age }: ReturnGroupsContext): GroupQuery | Problem[] {
  const filter: GroupFilter = {
    groupId: read.integer('return_group_id'),
    email: read.text('email'),
    orderId: read.integer('order_id'),
    orderName: read.text('order_name'),
    trackingCode: read.text('tracking_code'),
    created: isIgnored('created', knobs) ? undefined : readRange(read, 'created_at', knobs),
    updated: isIgnored('updated', knobs) ? undefined : readRange(read, 'updated_at', knobs),
    shipped: readRange(read, 'shipped_at', knobs),
  };
  const limit = pageLimit(read.integer('limit', 0), knobs, age);
  const offset = read.integer('offset', 0) ?? 0;
  if (typeof limit !== 'number') return [...read.problems, limit];
  if (read.problems.length > 0) return [...read.problems];
  return { ...filter, limit, offset };
}

function isIgnored(filter: 'updated' | 'created', { ignoredFilters }: Knobs): boolean {
  return ignoredFilters === 'all' || ignoredFilters === filter;
}

/**
 * The half-open range of instants of two bounds. If bounds compare with stamps as shown, which are cut off, they are
 * converted to bounds on full stamps.
 */
function readRange(read: ParameterReader, stamp: string, knobs: Knobs): Range | undefined {
  const skew = stamp === 'updated_at' ? knobs.filterSkewSeconds * SECOND : 0;
  const bound = (name: string) => {
    const instant = read.dateTime(`${name}_${stamp}`);
    return instant === undefined ? undefined : instant + skew;
  };
  const [least, most] = [bound('min'), bound('max')];
  if (least === undefined && most === undefined) return undefined;
  const unit = knobs.compares === 'shown' ? unitOf(knobs.stampPrecision) : 1;
  const atOrAfter = (bound: Instant) => Math.ceil(bound / unit) * unit;
  const after = (bound: Instant) => (Math.floor(bound / unit) + 1) * unit;
  return {
    from:
      least === undefined
        ? Number.NEGATIVE_INFINITY
        : (knobs.lowerBound === 'inclusive' ? atOrAfter : after)(least),
    until:
      most === undefined
        ? Number.POSITIVE_INFINITY
        : (knobs.upperBound === 'inclusive' ? after : atOrAfter)(most),
  };
}

/** The first rows that fit, at least one. */
function cutByBytes(rows: string[], most: number): string[] {
  if (most === 0) return rows;
  let bytes = 2;
  const fitting = rows.findIndex((row) => {
    bytes += Buffer.byteLength(row) + 1;
    return bytes > most;
  });
  return fitting === -1 ? rows : rows.slice(0, Math.max(1, fitting));
}
