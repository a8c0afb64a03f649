// Review: "400, 413, 415, 422, while the endpoint accepts other events: … it is tried again for a day, then skipped"
// (docs/webhooks.md); "The event is skipped after a day in which others were accepted" (docs/runbook.md).
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../../shared/instant.ts';
import { KEY, OTHER, WEBHOOK, worldWith } from './webhook-world.ts';

describe('review: an event is skipped for its content', () => {
  it('only after a day of such answers, not because the endpoint was down for a day before', async () => {
    const world = worldWith(1);
    world.show(OTHER, 1);
    // An outage of the whole endpoint for two days.
    world.answer = () => ({ status: 503 });
    await world.ring(KEY, 1);
    await world.clock.advance(2 * DAY);
    // It is up again and accepts another return's event …
    world.answer = () => ({ status: 204 });
    await world.ring(OTHER, 1);
    await world.clock.advance(SECOND);
    // … and answers this event once with 422, for instance because its own data is still being restored.
    world.answer = () => ({ status: 422 });
    const outcome = await world.ring(KEY, 1);
    world.answer = () => ({ status: 204 });
    await world.clock.advance(HOUR);
    await world.ring(KEY, 1);

    expect.soft(outcome, 'the first 422 of this event').toMatchObject({ isDone: false });
    expect.soft(world.shown.get('acme_mi8x2k_feed'), 'feed.events_skipped').toBeUndefined();
    expect(world.acceptedNumbers(KEY)).toEqual([1]);
  });

  it('the same where only this return failed before, with 409 or 500', async () => {
    const world = worldWith(1);
    world.show(OTHER, 1, 2);
    world.answer = ({ partitionkey }) => ({ status: partitionkey === 'acme/1' ? 409 : 204 });
    await world.ring(KEY, 1);
    await world.clock.advance(25 * HOUR);
    await world.ring(OTHER, 1);
    world.answer = () => ({ status: 400 });

    expect(await world.ring(KEY, 1)).toMatchObject({ isDone: false });
  });

  it('only while the endpoint accepts others: not if it has rejected every event for all but a minute', async () => {
    const world = worldWith(2);
    world.show(OTHER, 1, 2);
    // A rolling deployment with a wrong signing secret, whose receiver answers 400 as many do: one old process still accepts.
    world.answer = () => ({ status: 400 });
    await world.ring(KEY, 1);
    await world.clock.advance(MINUTE);
    world.answer = ({ data }) => ({ status: data.sequence === 1 ? 204 : 400 });
    await world.ring(OTHER, 1);
    // From then on nothing is accepted: every event gets 400, at every retry.
    world.answer = () => ({ status: 400 });
    for (let hour = 0; hour < 30; hour += 1) {
      await world.clock.advance(HOUR);
      await world.ring(KEY, 1);
      await world.ring(OTHER, 2);
    }

    expect.soft(world.shown.get('acme_mi8x2k_feed'), 'feed.events_skipped').toBeUndefined();
    expect(await world.marks.load(WEBHOOK, KEY)).toBe(0);
  });
});
