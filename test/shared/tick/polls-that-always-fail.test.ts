import { describe, expect, it } from 'vitest';
import { jsonAnswer } from '../../../local/reference-service/service/answer.ts';
import { MINUTE } from '../../../shared/instant.ts';
import { createSourceWorld } from '../source-world.ts';

const UNORDERED = { order: 'random', limitMax: 20, limitOver: 'clamp', touches: [] } as const;

describe('polls that always fail', () => {
  it('are reported although short walks settle everything', async () => {
    const world = createSourceWorld({ groups: 100, settings: { reconcileMs: 60_000 }, knobs: UNORDERED });
    const session = world.startProcess('a');
    await world.tick(session);
    for (let tick = 0; tick < 6; tick += 1) await world.nextTick(session);
    world.network.intercept = ({ query }) => (query.has('min_updated_at') ? jsonAnswer(500, {}) : undefined);
    for (let tick = 0; tick < 15; tick += 1) {
      await world.nextTick(session);
    }
    expect((await world.feedEvents()).map(({ type }) => type)).toContain('feed.source_degraded');
  });

  it('leave walks half of the time if they hang and are due more often than once in a tick', async () => {
    const world = createSourceWorld({
      groups: 3_000,
      settings: { reconcileMs: 45 * 60_000, intervalMs: 5_000 },
      knobs: { limitMax: 20, touches: [] },
    });
    const session = world.startProcess('a');
    for (let tick = 0; tick < 20; tick += 1) await world.nextTick(session);
    const changed = Number(world.control.snapshot()[2_900]?.id);
    world.hang((query) => query.has('min_updated_at'));
    world.change(changed);
    for (let tick = 0; tick < 120; tick += 1) await world.nextTick(session);
    expect((await world.groupEvents(changed)).map(({ type }) => type)).toEqual(['return_group.updated']);
  });

  it.each([
    ['hang', 10_000, 50_000, 'hang', 0],
    ['hang for a third of a tick', 15_000, 45_000, 'hang', 0],
    ['are answered by a gateway after 9.5 s', 10_000, 50_000, 'whole', 9_500],
  ] as const)(
    'leave walks some time, even if they %s and each tick is a new process',
    async (_, requestTimeoutMs, durationMs, delivery, afterMs) => {
      const settings = { reconcileMs: 600_000, requestTimeoutMs };
      const world = createSourceWorld({ groups: 300, settings });
      const ticks = async (count: number) => {
        for (let made = 0; made < count; made += 1) {
          await world.time.advance(MINUTE);
          await world.tick(world.startProcess(`p${world.time.elapsed()}`), { durationMs });
        }
      };
      await ticks(20);
      world.network.intercept = ({ query }) =>
        query.has('min_updated_at') ? { ...jsonAnswer(504, {}), delivery, afterMs } : undefined;
      const changed = world.someGroup();
      world.change(changed);

      await ticks(30);

      expect((await world.groupEvents(changed)).map(({ type }) => type)).toEqual(['return_group.updated']);
    },
  );
});
