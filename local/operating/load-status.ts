// Loads what `status` shows: the sources' states and the webhooks. A bounded number of reads, however many groups.
import { MILLISECOND } from '../../shared/instant.ts';
import type { Poller } from './judge-source.ts';
import { listWebhookStates } from './list-webhook-states.ts';
import type { OpenStates } from './open-states.ts';
import type { Attempt } from './problems.ts';
import { describeSource } from './source-status.ts';
import type { WebhookStatus } from './webhook-status.ts';

export type LoadedSource = Awaited<ReturnType<typeof loadSources>>[number];

/**
 * @param now milliseconds since the epoch
 * @param asked only this source
 * @param attempt loads what may be unknown
 */
export async function loadSources(
  open: OpenStates,
  now: number,
  asked: string | undefined,
  attempt: Attempt = (_, load, otherwise) => load().catch(() => otherwise),
) {
  const { flags, isLocal } = open;
  const loaded = await Promise.all((await open.sources(asked)).map((name) => open.states.load(name)));
  // Without permission to describe the tables, the rest of the status is still available.
  const place = await attempt('Whether the tables were restored', () => open.states.identity(), undefined);
  const poller = await findPoller(open);
  const known = { now: now * MILLISECOND, flags, isLocal, place, poller };
  return loaded
    .filter((state) => state !== undefined)
    .map((state) => ({ state, status: describeSource(state, known) }));
}

async function findPoller({ isLocal, holder }: Pick<OpenStates, 'isLocal' | 'holder'>): Promise<Poller> {
  if (!isLocal) return undefined;
  const found = await holder();
  // A process that yields is no `watch`, so it polls nothing.
  return found === undefined || found.yields ? null : { pid: found.pid };
}

/**
 * @param now milliseconds since the epoch. @returns null where the table of marks is not named. @throws the stores'
 * errors
 */
export async function loadWebhooks(open: OpenStates, now: number): Promise<WebhookStatus[] | null> {
  return open.deployment.marks === undefined ? null : listWebhookStates(open, now * MILLISECOND);
}
