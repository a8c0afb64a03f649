// Whether a reader is as fresh as the better of the ordinary readers, or as a setting's own bounds ask. Pure.

export interface Figures {
  /** Entities of which it had a wrong state, at each of the moments that are judged. */
  readonly wrong: readonly number[];
  /** Changes that it never knew. */
  readonly never: number;
  /** Seconds from a change until it was known; infinite: never. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Requests in the busiest 60 s. */
  readonly busiestMinute: number;
}

/** The greatest allowed figures. */
export type Bounds = Partial<Pick<Figures, 'wrong' | 'p50' | 'p99' | 'busiestMinute'>>;

/** The reader that missed fewer changes; if both missed as many, the one with the lower p99. */
export function betterOf<Reader extends Figures>(readers: readonly Reader[]): Reader | undefined {
  return readers.toSorted((one, other) => one.never - other.never || one.p99 - other.p99)[0];
}

/** Nothing wrong where the other reader has nothing wrong, and a p99 of at most `times` as much. */
export function boundsOf(other: Figures, times: number): Bounds {
  return {
    wrong: other.wrong.map((count) => (count === 0 ? 0 : Number.POSITIVE_INFINITY)),
    p99: times * other.p99,
  };
}

/** What falls short of the bounds, in words; empty if the reader is within them. */
export function shortfalls({ wrong, p50, p99, busiestMinute }: Figures, bounds: Bounds): string[] {
  return [
    ...wrong.map((count, index) => exceeds('wrong', count, bounds.wrong?.[index])),
    exceeds('p50', p50, bounds.p50),
    exceeds('p99', p99, bounds.p99),
    exceeds('requests in a minute', busiestMinute, bounds.busiestMinute),
  ].filter((shortfall) => shortfall !== undefined);
}

function exceeds(what: string, figure: number, bound = Number.POSITIVE_INFINITY): string | undefined {
  return figure > bound ? `${what} ${shown(figure)}, at most ${shown(bound)}` : undefined;
}

/** A whole number as it is, others with one decimal. */
export function shown(figure: number): string {
  if (figure === Number.POSITIVE_INFINITY) return 'never';
  return Number.isInteger(figure) ? String(figure) : figure.toFixed(1);
}
