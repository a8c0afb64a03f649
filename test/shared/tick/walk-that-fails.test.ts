import { describe, expect, it } from 'vitest';
import { jsonAnswer, type ServiceRequest } from '../../../local/reference-service/service/answer.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import { createSourceWorld, type SourceWorld } from '../source-world.ts';

/** Makes matching requests fail for good. */
function fail({ network }: SourceWorld, status: number, matches: (request: ServiceRequest) => boolean): void {
  network.intercept = (request) => (matches(request) ? jsonAnswer(status, {}) : undefined);
}

const byCreation = ({ query }: ServiceRequest) => query.has('min_created_at') || query.has('max_created_at');
const byUpdate = ({ query }: ServiceRequest) => query.has('min_updated_at');
const byId = ({ query }: ServiceRequest) => query.has('return_group_id');

function conditions(events: readonly FeedEvent[]): string[] {
  return events.map(({ type }) => type).filter((type) => /degraded|recovered/.test(type));
}

describe('a walk that fails for good', () => {
  it.each([504, 422, 400])(
    'degrades the source within five minutes although polls are complete (%i)',
    async (status) => {
      const world = createSourceWorld();
      const session = world.startProcess('a');
      fail(world, status, byCreation);

      await world.tick(session);
      const degraded: boolean[] = [];
      for (let minute = 1; minute <= 7; minute += 1) {
        const report = await world.nextTick(session);
        degraded.push(report.state?.health.degradedSince !== undefined);
        expect(report.polls).toBeGreaterThan(0);
      }

      expect(degraded.indexOf(true)).toBeGreaterThanOrEqual(4);
      expect(degraded.indexOf(true)).toBeLessThanOrEqual(5);
      expect(conditions(await world.feedEvents())).toEqual(['feed.source_degraded']);
    },
  );

  it('shows in the metric that the freshness alarm watches', async () => {
    const world = createSourceWorld();
    const session = world.startProcess('a');
    fail(world, 504, byCreation);

    await world.tick(session);
    await world.nextTick(session);
    const report = await world.nextTick(session);

    expect(report.behindMs).toBeGreaterThanOrEqual(60_000);
  });

  it('degrades a source also after its baseline; the source recovers with the walk', async () => {
    const world = createSourceWorld({ settings: { reconcileMs: 120_000 } });
    const session = world.startProcess('a');
    await world.tick(session);
    expect((await world.state()).baseline.status).toBe('completed');
    fail(world, 504, byCreation);
    for (let minute = 1; minute <= 10; minute += 1) await world.nextTick(session);

    world.network.intercept = undefined;
    await world.nextTick(session);

    expect(conditions(await world.feedEvents())).toEqual(['feed.source_degraded', 'feed.source_recovered']);
  });
});

describe('an estimate that fails', () => {
  it('does not delay the baseline', async () => {
    const world = createSourceWorld();
    fail(world, 504, ({ query }) => !/_at|return_group_id/.test(query.toString()));

    const report = await world.tick(world.startProcess('a'));

    expect(report.state?.baseline.status).toBe('completed');
  });
});

describe('polls that fail for good', () => {
  it('degrade the source, and the walk still finds changes', async () => {
    const world = createSourceWorld({ settings: { reconcileMs: 120_000 } });
    const session = world.startProcess('a');
    await world.tick(session);
    fail(world, 422, byUpdate);
    const group = world.someGroup();
    world.setShipment(group, 'FAILED');

    for (let minute = 1; minute <= 8; minute += 1) await world.nextTick(session);

    const events = await world.groupEvents(group);
    expect(events.map(({ type }) => type)).toEqual(['shipment.status_changed']);
    expect(conditions(await world.feedEvents())).toEqual(['feed.source_degraded']);
  });
});

describe('look-ups that fail for good', () => {
  it('degrade the source, and the walk still reads the groups after the missing one', async () => {
    const world = createSourceWorld({ settings: { reconcileMs: 120_000, settleMs: 1_000 } });
    const session = world.startProcess('a');
    await world.tick(session);
    fail(world, 500, byId);
    const [gone, ...others] = world.control
      .snapshot()
      .map(({ id }) => Number(id))
      .sort((a, b) => a - b);
    world.control.remove(gone ?? 0);
    const changed = others.at(-2) ?? 0;
    const { touches } = world.control.knobs();
    world.control.setKnob('touches', []);
    world.reference.store.alter(
      changed,
      (draft) => void Object.assign(draft, { credit_method: 'STORE_CREDIT' }),
    );
    world.reference.store.alter(changed, (draft) => void Object.assign(draft, { return_outcome: 'upsell' }));
    world.control.setKnob('touches', touches);

    for (let minute = 1; minute <= 8; minute += 1) await world.nextTick(session);

    expect((await world.groupEvents(changed)).length).toBeGreaterThan(0);
    expect((await world.groupEvents(gone ?? 0)).map(({ type }) => type)).toEqual([]);
    expect(conditions(await world.feedEvents())).toEqual(['feed.source_degraded']);
  });
});

describe('offsets that are always refused', () => {
  it('degrade the source although its polls are complete', async () => {
    const world = createSourceWorld({ groups: 4 });
    const session = world.startProcess('a');
    fail(world, 422, ({ query }) => query.has('offset'));

    for (let minute = 0; minute <= 12; minute += 1) await world.nextTick(session);

    expect(conditions(await world.feedEvents())).toEqual(['feed.source_degraded']);
  });
});

describe('pages that always fail above some size', () => {
  it.each([500, 504])('are requested with fewer rows (%i)', async (status) => {
    const world = createSourceWorld({ groups: 120 });
    fail(world, status, ({ query }) => Number(query.get('limit')) > 30);
    const session = world.startProcess('a');

    for (let minute = 0; minute <= 7; minute += 1) await world.nextTick(session);

    const state = await world.state();
    expect(state.pageLimit).toBe(25);
    expect(state.baseline).toMatchObject({ status: 'completed', groups: 121 });
    expect(conditions(await world.feedEvents())).toEqual([]);
  });
});
