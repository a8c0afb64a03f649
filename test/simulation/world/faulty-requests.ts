// Answers requests of one shape with the plan's lasting fault instead of the service's true answer.
import type { InProcessService } from '../../../local/reference-service/in-process-service.ts';
import {
  type Answer,
  answerOf,
  httpDate,
  jsonAnswer,
} from '../../../local/reference-service/service/answer.ts';
import { problemWith, validationAnswer } from '../../../local/reference-service/service/validation.ts';
import { stampFormsOf } from '../../../local/reference-service/showing/stamp-form.ts';
import { type Instant, SECOND } from '../../../shared/instant.ts';
import type { Trace } from '../../simulation-frame/trace.ts';
import { type FaultAnswer, type FaultShape, type LastingFault, nameOfShape } from '../lasting-fault.ts';

export interface FaultyRequests {
  /** Returns the faulty answer if the request has the fault's shape, or else the true answer. */
  answer(query: URLSearchParams, honest: () => Answer): Answer;
  /** The groups of the opening that the shape names, or those whose look-ups failed; empty for other shapes. */
  readonly groups: ReadonlySet<number>;
}

export interface FaultyRequestsOptions {
  readonly service: InProcessService;
  /** Returns whether the fault is active at this moment. */
  readonly isOn: () => boolean;
  readonly trace: Trace;
}

export function createFaultyRequests(
  { shape, what }: LastingFault,
  { service, isOn, trace }: FaultyRequestsOptions,
): FaultyRequests {
  const { matches, groups } = createMatcher(shape, service);
  const name = nameOfShape(shape);
  return {
    groups,
    answer(query, honest) {
      if (!isOn()) return honest();
      if (shape.kind === 'array') {
        trace.count('lasting array');
        return withoutArray(honest(), shape.name);
      }
      const made = shape.kind === 'id' && shape.where === 'pages' ? honest() : undefined;
      if (!matches(query, made)) return made ?? honest();
      trace.count(`lasting ${name}`);
      trace.count(`lasting answer ${what}`);
      return dated(faulty(what, shape), service);
    },
  };
}

interface Matcher {
  readonly matches: (query: URLSearchParams, answer: Answer | undefined) => boolean;
  readonly groups: ReadonlySet<number>;
}

const NO_GROUPS: ReadonlySet<number> = new Set();

function createMatcher(shape: FaultShape, service: InProcessService): Matcher {
  switch (shape.kind) {
    case 'offset':
    case 'limit':
      return {
        matches: (query) => Number(query.get(shape.kind) ?? 0) > shape.above,
        groups: NO_GROUPS,
      };
    case 'parameter':
      return { matches: (query) => query.has(shape.name), groups: NO_GROUPS };
    case 'id':
      return idMatcher(shape, service);
    case 'look-ups':
      return lookUpMatcher(shape, service);
    case 'range':
      return rangeMatcher(shape, service);
    case 'array':
      return { matches: () => true, groups: NO_GROUPS };
  }
}

function idMatcher(
  { place, where }: Extract<FaultShape, { kind: 'id' }>,
  { store }: InProcessService,
): Matcher {
  const ids = Array.from(store.groups(), ({ id }) => id);
  const id = placed(ids, place);
  const groups = new Set([id]);
  if (where === 'look-ups')
    return { matches: (query) => query.get('return_group_id') === String(id), groups };
  return { matches: (_, answer) => rowsOf(answer).some((row) => row?.id === id), groups };
}

function lookUpMatcher(
  { of }: Extract<FaultShape, { kind: 'look-ups' }>,
  { store }: InProcessService,
): Matcher {
  const groups = new Set<number>();
  const fails = (id: number) =>
    of === 'some' ? id % 3 === 0 : [...store.groups()].some((group) => group.id === id);
  return {
    groups,
    matches(query) {
      const id = Number(query.get('return_group_id') ?? Number.NaN);
      if (Number.isNaN(id) || !fails(id)) return false;
      groups.add(id);
      return true;
    },
  };
}

function rangeMatcher(shape: Extract<FaultShape, { kind: 'range' }>, service: InProcessService): Matcher {
  const { store, control } = service;
  const known = Array.from(store.groups(), ({ id, created_at }) => ({ id, created: created_at }));
  const created = known.map((group) => group.created).sort((a, b) => a - b);
  const from = placed(created, shape.from);
  const to = placed(created, shape.to);
  const isWithin = (group: { readonly created: Instant }) => group.created >= from && group.created <= to;
  return {
    groups: new Set(known.filter(isWithin).map(({ id }) => id)),
    matches(query) {
      const { read } = stampFormsOf(control.knobs()).created;
      const least = read(query.get('min_created_at') ?? '');
      const most = read(query.get('max_created_at') ?? '');
      if (least === undefined && most === undefined) return false;
      return (least ?? from) <= to && (most ?? to) >= from;
    },
  };
}

function placed(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

type Row = Record<string, unknown> | null;

function rowsOf(answer: Answer | undefined): Row[] {
  if (answer?.status !== 200 || answer.rows === undefined || answer.delivery !== 'whole') return [];
  try {
    return JSON.parse(answer.body) as Row[];
  } catch {
    // Another fault cut the body.
    return [];
  }
}

function withoutArray(answer: Answer, name: string): Answer {
  const rows = rowsOf(answer);
  if (rows.length === 0) return answer;
  for (const row of rows) if (typeof row === 'object' && row !== null) delete row[name];
  return { ...answer, body: JSON.stringify(rows) };
}

function dated(answer: Answer, { control }: InProcessService): Answer {
  const { date, dateSkewSeconds } = control.knobs();
  if (date === 'missing') return answer;
  return {
    ...answer,
    headers: { ...answer.headers, date: httpDate(control.now() + dateSkewSeconds * SECOND) },
  };
}

/** A gateway gives up sooner than the feed, whose default time limit is ten seconds. */
const LATE_MS = 9_000;

function faulty(what: FaultAnswer, shape: FaultShape): Answer {
  switch (what) {
    case '500':
      return jsonAnswer(500, { detail: 'Internal Server Error' });
    case '504':
      return jsonAnswer(504, { message: 'Gateway Timeout' });
    case 'late':
      return { ...jsonAnswer(504, { message: 'Gateway Timeout' }), afterMs: LATE_MS };
    case '400':
      return jsonAnswer(400, { detail: 'Bad Request' });
    case '422':
      return validationAnswer([problemOf(shape)]);
    case 'hang':
      return { ...answerOf(200, '', 'application/json'), delivery: 'hang' };
    case 'empty':
      return { ...jsonAnswer(200, []), rows: 0 };
  }
}

function problemOf(shape: FaultShape) {
  switch (shape.kind) {
    case 'offset':
    case 'limit':
      return problemWith(
        shape.kind,
        `Input should be less than or equal to ${shape.above}`,
        'less_than_equal',
      );
    case 'parameter':
      return problemWith(shape.name, 'Value error, not supported', 'value_error');
    case 'id':
    case 'look-ups':
      return problemWith('return_group_id', 'Value error, not supported', 'value_error');
    default:
      return problemWith('min_created_at', 'Value error, not supported', 'value_error');
  }
}
