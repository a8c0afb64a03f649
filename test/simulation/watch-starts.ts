import type { Instant } from '../../shared/instant.ts';
import { onStateSaved } from './world/watch-saves.ts';
import type { World } from './world/world.ts';

/** A source starts with its first state, and starts again when an operator starts a new generation. */
export interface Start {
  readonly generation: string;
  readonly baseline: 'silent' | 'emit';
  /** When its first state was saved. */
  readonly at: Instant;
}

/** By source, in order of time. */
export type Starts = ReadonlyMap<string, readonly Start[]>;

/** Records when sources start. From then on every change must be published. */
export function watchStarts({ stores, time }: World): Starts {
  const starts = new Map<string, readonly Start[]>();
  onStateSaved(stores, ({ source, generation, baseline }) => {
    const known = starts.get(source) ?? [];
    if (known.some((start) => start.generation === generation)) return;
    starts.set(source, [...known, { generation, baseline: baseline.mode, at: time.now() }]);
  });
  return starts;
}
