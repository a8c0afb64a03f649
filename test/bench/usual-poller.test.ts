// The value of the feed, measured: four hours of one store with 40 changes a minute, read once a minute by the usual
// poller and by the feed. Both get a quarter of an hour of quiet at the end. README.md quotes the figures.
import { expect, test } from 'vitest';
import type { Knobs } from '../../local/reference-service/knobs.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { MINUTE } from '../../shared/instant.ts';
import { createSourceWorld, type SourceWorld } from '../shared/source-world.ts';
import { createUsualPoller, type ReadRow, statusesOf } from './usual-poller.ts';

const MINUTES = 240;
const QUIET_MINUTES = 15;

interface Case {
  readonly name: string;
  readonly knobs: Partial<Knobs>;
  /** Percentage of statuses that the usual poller has wrong in the end. */
  readonly wrong: number;
}

test.each<Case>([
  { name: 'pages of 50 rows at most', knobs: { limitMax: 50 }, wrong: 13 },
  {
    name: 'shipments that do not move updated_at',
    knobs: { touches: ['return_group', 'return_line_item', 'exchange_line_item'] },
    wrong: 1.8,
  },
  {
    name: 'changes that show up to 30 seconds after their stamp',
    knobs: { lateSeconds: { least: 0, most: 30 } },
    wrong: 1.6,
  },
])(
  '$name',
  async ({ knobs, wrong }) => {
    const world = createSourceWorld({
      groups: 300,
      life: { changesPerSecond: 40 / 60 },
      knobs,
      settings: { baseline: 'emit' },
    });
    const polled = new Map<string, string>();
    const poll = createUsualPoller('careless', asker(world), (entity, status) => polled.set(entity, status));
    const session = world.startProcess('a');

    const start = world.time.now();
    for (let minute = 0; minute < MINUTES + QUIET_MINUTES; minute += 1) {
      if (minute === MINUTES) world.control.pause();
      await poll();
      await world.tick(session);
      // Both begin each minute together, however long the feed's ticks take.
      await world.time.advance(start + (minute + 1) * MINUTE - world.time.now());
    }

    const real = new Map(world.control.snapshot().flatMap((group) => statusesOf(group as never)));
    const published = statusesAfter(await world.events());
    expect(shareWrong(real, published)).toBe(0);
    expect(shareWrong(real, polled)).toBe(wrong);
  },
  120_000,
);

function asker({ reference }: SourceWorld) {
  return async (query: Readonly<Record<string, string>>): Promise<readonly ReadRow[]> => {
    const asked = { path: '/v2/return-groups', query: new URLSearchParams(query), token: reference.token };
    const { status, body } = reference.service.answer(asked);
    if (status !== 200) throw new Error(`The service answered ${status}: ${body}`);
    const rows: readonly (Parameters<typeof statusesOf>[0] & { readonly updated_at: string })[] =
      JSON.parse(body);
    return rows.map((row) => ({ updatedAtMs: Date.parse(row.updated_at), statuses: statusesOf(row) }));
  };
}

/** A subscriber's statuses after these events, each group's in order. */
function statusesAfter(events: readonly FeedEvent[]): Map<string, string> {
  const statuses = new Map<string, string>();
  for (const { type, data } of events) {
    if (!('object' in data) || !('status' in data.object) || !('id' in data.object)) continue;
    const key = `${data.object.type}/${data.object.id}`;
    if (type.endsWith('.removed')) statuses.delete(key);
    else statuses.set(key, String(data.object.status));
  }
  return statuses;
}

/** The percentage of real statuses that are unknown or wrong, to one decimal. */
function shareWrong(real: ReadonlyMap<string, string>, known: ReadonlyMap<string, string>): number {
  const wrong = [...real].filter(([key, status]) => known.get(key) !== status).length;
  return Math.round((1_000 * wrong) / real.size) / 10;
}
