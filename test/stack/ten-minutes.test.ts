// What polls can't see, in a deployment with the settings of production: its walks find it within minutes. The clocks of
// the functions and the service move with the ticks.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { STAGES } from '../../infra/stages.ts';
import {
  createReferenceService,
  type ReferenceService,
} from '../../local/reference-service/create-reference-service.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { comeDue, MINUTE_MS, TICKS, thisMinute } from './come-due.ts';
import { type Deployment, deploy } from './deployment.ts';
import { startEngines } from './start-engines.ts';
import { synthesizeStack, TOKEN_SECRET } from './synthesize-stack.ts';

const PATIENCE_MS = 240_000;

let service: ReferenceService;
let deployment: Deployment;
let minute = thisMinute();
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  service = await createReferenceService({
    groups: 40,
    life: false,
    knobs: { touches: ['return_group', 'return_line_item'] },
  });
  const assembly = synthesizeStack(service.url, () => {}, STAGES.production.sources[0]);
  ends.push(service.close);
  deployment = await deploy({
    ...{ assembly, template: assembly.template, engines: await startEngines(ends) },
    secrets: new Map([[TOKEN_SECRET, service.token]]),
  });
  ends.push(deployment.stop);
  await comeDue(deployment, TICKS, minute);
}, PATIENCE_MS);

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

test(
  'a change that moves no stamp is published within 11 minutes',
  async () => {
    const group = service.control
      .snapshot()
      .find(
        ({ shipments: [first, ...others] }) => others.length === 0 && first && first.status !== 'DELIVERED',
      );
    service.control.mutate(Number(group?.id), ({ shipments }) => {
      shipments[0]!.status = 'DELIVERED';
    });

    const took = await minutesUntil(
      ({ type, data }) => type === 'shipment.status_changed' && data.return_group.id === group?.id,
    );

    const after = service.control.snapshot().find(({ id }) => id === group?.id);
    expect(after).toMatchObject({ updated_at: group?.updated_at, shipments: [{ status: 'DELIVERED' }] });
    expect(took).toBeLessThanOrEqual(11);
    expect(deployment.failures).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'a removal is published within 13 minutes: a walk misses the return, two look-ups a minute apart prove it',
  async () => {
    const id = [...service.store.groups()][20]!.id;
    service.control.remove(id);

    const took = await minutesUntil(
      ({ type, partitionkey }) => type === 'return_group.removed' && partitionkey === `acme/${id}`,
    );

    expect(took).toBeLessThanOrEqual(13);
    expect(deployment.failures).toEqual([]);
  },
  PATIENCE_MS,
);

const MOST_MINUTES = 20;

/** Lets ticks come due until the bus has an event. @returns the minutes that it took */
async function minutesUntil(holds: (event: FeedEvent) => boolean): Promise<number> {
  const isPublished = () =>
    (deployment.archived as { detail: FeedEvent }[]).some(({ detail }) => holds(detail));
  for (let minutes = 1; minutes <= MOST_MINUTES; minutes += 1) {
    minute += MINUTE_MS;
    deployment.advance(MINUTE_MS);
    service.control.advance(MINUTE_MS);
    await comeDue(deployment, TICKS, minute);
    if (isPublished()) return minutes;
  }
  return Number.POSITIVE_INFINITY;
}
