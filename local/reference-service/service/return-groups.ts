// GET /v2/return-groups: parses the thirteen parameters, queries the store, writes the page.

import { SECOND } from '../../../shared/instant.ts';
import type { Knobs } from '../knobs.ts';
import type { RowWriter } from '../showing/row-writer.ts';
import { stampFormOf } from '../showing/stamp-form.ts';
import type { StoredGroup } from '../store/stored-group.ts';
import type { GroupQuery, Range } from '../store/view.ts';
import { type Answer, answerOf, jsonAnswer } from './answer.ts';
import { answerWithFailingRow } from './faults.ts';
import { createParameterReader, type ParameterReader, validationAnswer } from './validation.ts';

export interface ReturnGroupsContext {
  readonly knobs: Knobs;
  readonly writeRow: RowWriter;
  readonly select: (query: GroupQuery) => StoredGroup[];
}

const ROWS_BY_DEFAULT = 50;

export function answerReturnGroups(parameters: URLSearchParams, context: ReturnGroupsContext): Answer {
  const { knobs, writeRow, select } = context;
  const read = createParameterReader(parameters, stampFormOf(knobs));
  const query = readQuery(read, knobs);
  if (read.problems.length > 0) return refusal(read.problems, knobs);
  const groups = select(query);
  if (groups.length === 0 && knobs.emptyAs === '404') return jsonAnswer(404, { detail: 'Not Found' });
  if (groups.some(({ id }) => isEach(id, knobs.failingEvery)))
    return answerWithFailingRow(knobs.failingAs, groups.length);
  const isListed = ({ id }: StoredGroup) => query.groupId !== undefined || !isEach(id, knobs.hiddenEvery);
  const page = cutByBytes(groups.filter(isListed).map(writeRow), knobs.pageBytes);
  return { ...answerOf(200, `[${page.join(',')}]`, 'application/json'), rows: page.length };
}

/** A gateway or a framework may refuse a limit in its own way. */
function refusal(problems: ParameterReader['problems'], { limitOver }: Knobs): Answer {
  const status = Number(limitOver);
  const isOfLimit = problems.some(({ loc }) => loc.includes('limit'));
  if (Number.isNaN(status) || !isOfLimit) return validationAnswer(problems);
  return jsonAnswer(status, { detail: problems[0]?.msg });
}

function isEach(id: number, every: number): boolean {
  return every > 0 && id % every === 0;
}

function readQuery(read: ParameterReader, knobs: Knobs): GroupQuery {
  const { limitMax, limitOver, offsetMax } = knobs;
  const isRefused = limitOver !== 'clamp';
  const most = isRefused ? limitMax : undefined;
  const isIgnored = (filter: string) => ['all', filter].includes(knobs.ignoredFilters);
  const filter = {
    groupId: read.integer('return_group_id'),
    email: read.text('email'),
    orderId: read.integer('order_id'),
    orderName: read.text('order_name'),
    trackingCode: read.text('tracking_code'),
    created: isIgnored('created') ? undefined : readRange(read, 'created_at', knobs),
    updated: isIgnored('updated') ? undefined : readRange(read, 'updated_at', knobs),
    shipped: readRange(read, 'shipped_at', knobs),
  };
  const limit = Math.min(read.integer('limit', 0, most) ?? ROWS_BY_DEFAULT, limitMax);
  const last = offsetMax > 0 && isRefused ? offsetMax - 1 : undefined;
  const offset = read.integer('offset', 0, last) ?? 0;
  const left = offsetMax === 0 ? limit : Math.max(0, offsetMax - offset);
  return { ...filter, offset, limit: Math.min(limit, left) };
}

/** The half-open range of instants of two bounds. */
function readRange(read: ParameterReader, stamp: string, knobs: Knobs): Range | undefined {
  const least = read.dateTime(`min_${stamp}`);
  const most = read.dateTime(`max_${stamp}`);
  if (least === undefined && most === undefined) return undefined;
  const skew = stamp === 'updated_at' ? knobs.filterSkewSeconds * SECOND : 0;
  return {
    from: (least ?? Number.NEGATIVE_INFINITY) + skew + (knobs.bounds === 'exclusive' ? 1 : 0),
    until: (most ?? Number.POSITIVE_INFINITY) + skew + (knobs.bounds === 'inclusive' ? 1 : 0),
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
