// Review: "A filter that is new or changed applies within 15 minutes. Until then events pass by the old one."
// (docs/guarantees.md); "deploy, wait for 15 minutes, then `replay` from the deployment on: it sends the events that a
// widened filter … has missed" (docs/subscribing.md): events from before the deployment are not to be sent.
import { describe, expect, it } from 'vitest';
import { DAY } from '../../../shared/instant.ts';
import { KEY, WEBHOOK, worldWith } from './webhook-world.ts';

describe('review: a webhook whose filter is widened', () => {
  it('does not get the events from before, which the old filter excluded', async () => {
    // The filter excludes events 1 to 5: SNS filters them, so none of them rings. (The daily sweep would move the mark over
    // them; here it has not run since.)
    const world = worldWith(5, { filter: { types: ['return_group.created'] } });
    // The webhook is older than they are.
    await world.clock.run(world.sender()({ key: { ...KEY, group: 77 }, sequence: 1 }, 60_000));
    await world.clock.advance(DAY / 2);
    // The filter is widened and deployed; event 6 rings.
    world.show(KEY, 6);
    const filter = {};
    await world.clock.run(world.sender({ filter })({ key: KEY, sequence: 6 }, 60_000));

    expect(world.acceptedNumbers(KEY)).toEqual([6]);
    expect(await world.marks.load(WEBHOOK, KEY)).toBe(6);
  });
});
