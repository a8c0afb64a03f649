// A fault of all requests of one shape, for a moment, for minutes or permanently. checker/lasting-faults.ts lists the
// guarantees that still hold meanwhile.
import type { Random } from '../../local/reference-service/store/seeded-random.ts';

/** The requests that have the fault. */
export type FaultShape =
  | { readonly kind: 'offset'; readonly above: number }
  | { readonly kind: 'parameter'; readonly name: FaultyParameter }
  | { readonly kind: 'limit'; readonly above: number }
  /** Requests by creation time that touch a part of the groups; both ends are shares, in the order of creation. */
  | { readonly kind: 'range'; readonly from: number; readonly to: number }
  /** Look-ups of one group, or every page that contains it. `place` is its position among all groups by id: a share. */
  | { readonly kind: 'id'; readonly place: number; readonly where: 'look-ups' | 'pages' }
  /** Look-ups of all groups that exist, or of a third of all groups. */
  | { readonly kind: 'look-ups'; readonly of: 'existing' | 'some' }
  /** Every row lacks this array. */
  | { readonly kind: 'array'; readonly name: FaultyArray };

export const FAULTY_PARAMETERS = ['min_updated_at', 'min_created_at', 'return_group_id'] as const;
type FaultyParameter = (typeof FAULTY_PARAMETERS)[number];

export const FAULTY_ARRAYS = ['shipments', 'returns', 'exchange_line_items', 'refund_transactions'] as const;
type FaultyArray = (typeof FAULTY_ARRAYS)[number];

const DRAWN_ANSWERS = ['500', '504', '422', '400', 'hang', 'empty'] as const;
/** `504` answers at once, `late` with a 504 after nearly the time limit, `hang` never; `empty` is a 200 without rows. */
export const FAULT_ANSWERS = [...DRAWN_ANSWERS, 'late'] as const;
export type FaultAnswer = (typeof FAULT_ANSWERS)[number];

export interface LastingFault {
  readonly shape: FaultShape;
  readonly what: FaultAnswer;
  readonly fromMs: number;
  /** Undefined: it never ends. */
  readonly forMs?: number | undefined;
}

/** The name of the shape, for instance `parameter min_created_at`. */
export function nameOfShape(shape: FaultShape): string {
  switch (shape.kind) {
    case 'parameter':
    case 'array':
      return `${shape.kind} ${shape.name}`;
    case 'id':
      return `id in ${shape.where}`;
    case 'look-ups':
      return `look-ups of ${shape.of}`;
    default:
      return shape.kind;
  }
}

const MOMENT_MS = 20_000;
const MINUTES_MS = 240_000;

/**
 * @param activeMs how long the store changes
 * @param limitMax the maximum number of rows in a page
 */
export function drawLastingFault(random: Random, activeMs: number, limitMax: number): LastingFault {
  const shape = drawShape(random, limitMax);
  const drawn = random.pick(DRAWN_ANSWERS);
  const fromMs = random.chance(0.3) ? 0 : random.below(activeMs);
  const forMs = random.pick([MOMENT_MS, MINUTES_MS, undefined]);
  const what = drawn === 'empty' && isUndetectable(shape, forMs === undefined) ? '504' : drawn;
  return { shape, what, fromMs, ...(forMs === undefined ? {} : { forMs }) };
}

function drawShape(random: Random, limitMax: number): FaultShape {
  const from = random.fraction() * 0.8;
  const shapes: readonly FaultShape[] = [
    { kind: 'offset', above: Math.max(10, 2 * limitMax) },
    { kind: 'parameter', name: random.pick(FAULTY_PARAMETERS) },
    { kind: 'limit', above: Math.max(1, Math.floor(limitMax / 2)) },
    { kind: 'range', from, to: from + 0.2 },
    { kind: 'id', place: random.fraction(), where: random.pick(['look-ups', 'pages']) },
    { kind: 'array', name: random.pick(FAULTY_ARRAYS) },
  ];
  return random.pick(shapes);
}

/**
 * Returns whether the fault looks like an empty service: it answers every page of the feed's size, or every walk, with an
 * empty list. Pages that are empty because of one of their rows hide the other rows in the same way.
 */
function isUndetectable(shape: FaultShape, isForEver: boolean): boolean {
  if (shape.kind === 'limit') return true;
  if (shape.kind === 'id') return shape.where === 'pages';
  return isForEver && (shape.kind === 'range' || nameOfShape(shape) === 'parameter min_created_at');
}
