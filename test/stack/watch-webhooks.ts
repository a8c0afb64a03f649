// One run of a deployed template with two webhooks: a change at the service, a return with an event that the endpoint always
// rejects, the sweeps.
import type { ReferenceService } from '../../local/reference-service/create-reference-service.ts';
import type { FeedEvent } from '../../shared/contract/event.ts';
import { METRICS } from '../../shared/deployment/metrics.ts';
import { comeDue, MINUTE_MS, SWEEPS, TICKS, thisMinute } from './come-due.ts';
import type { Variables } from './create-functions.ts';
import { type Deployment, type DeployOptions, deploy } from './deployment.ts';
import { TOKEN_SECRET, WEBHOOK_SECRETS } from './synthesize-stack.ts';
import { silentAlarms } from './watch-a-change.ts';
import { type Delivery, startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';

export interface WatchWebhooksOptions extends Omit<DeployOptions, 'secrets' | 'variablesOf' | 'deliveries'> {
  /** Whether the receiver rejects the first request to each URL. */
  readonly isDown: boolean;
}

export interface WatchedWebhooks extends Pick<Deployment, 'deniedBy'> {
  /** The failures of the webhooks, one sentence each; empty for an undamaged template. */
  readonly problems: readonly string[];
}

const SIGNING_SECRET = `whsec_${Buffer.from('the signing secret of the mails!').toString('base64')}`;
const BEARER = 'Bearer of-the-mails';
const [WMS, MAILS] = ['/wms', '/mails'];
const HOUR_US = 3_600_000_000;
const DAY_US = 24 * HOUR_US;

export async function watchWebhooks(
  service: ReferenceService,
  { isDown, ...options }: WatchWebhooksOptions,
): Promise<WatchedWebhooks> {
  let wmsSecret = '';
  const receiver = await startWebhookReceiver((path) => (path === WMS ? wmsSecret : SIGNING_SECRET));
  const deployment = await deploy({
    ...options,
    secrets: secretsFor(service, receiver),
    variablesOf: (variables) => forReceiver(variables, receiver),
  });
  try {
    wmsSecret = deployment.secretWith('WebhooksWmsSecret');
    const run: Run = { deployment, receiver, service };
    const minute = thisMinute();
    await comeDue(deployment, TICKS, minute);
    const first = await deliverParcel(run, minute + MINUTE_MS, isDown);
    const second = await refuseOneEvent(run, minute + 2 * MINUTE_MS, first);
    await sweepAfterLoss(run, minute + 2 * MINUTE_MS, first, second);
    const { deniedBy, failures } = deployment;
    if (failures.length > 0) return { problems: [...failures], deniedBy };
    const by = ['WebhooksWmsSender', 'WebhooksMailsSender'];
    const silent = isDown
      ? silentAlarms(deployment, options.template, { by, names: [METRICS.failingFor] })
      : [];
    return { problems: [...(await problemsOf(run, first, second)), ...silent], deniedBy };
  } finally {
    await deployment.stop();
    receiver.close();
  }
}

interface Run {
  readonly deployment: Deployment;
  readonly receiver: WebhookReceiver;
  readonly service: ReferenceService;
}

/** The secrets of the stack. One of them is a URL, of the receiver. */
export function secretsFor({ token }: ReferenceService, { url }: WebhookReceiver): Map<string, string> {
  return new Map([
    [TOKEN_SECRET, token],
    [WEBHOOK_SECRETS.url, url + MAILS],
    [WEBHOOK_SECRETS.signing, SIGNING_SECRET],
    [WEBHOOK_SECRETS.bearer, BEARER],
  ]);
}

/**
 * Allows http to private addresses, because the receiver is on this machine; the template allows only https to public
 * addresses. test/functions/adapters/webhook-post.test.ts tests that check.
 */
export function forReceiver(variables: Variables, { url }: WebhookReceiver): Variables {
  if (variables.WEBHOOK_ID === undefined) return variables;
  return { ...variables, ADDRESSES: 'any', ...(variables.WEBHOOK_URL && { WEBHOOK_URL: url + WMS }) };
}

/** @returns the return's id */
async function deliverParcel({ deployment, receiver, service }: Run, atMs: number, isDown: boolean) {
  if (deployment.failures.length > 0) return 0;
  const seen = new Set<string>();
  if (isDown) receiver.answer = ({ path }) => (seen.size < seen.add(path).size ? 500 : 204);
  const group = deliver(service, []);
  await comeDue(deployment, TICKS, atMs);
  receiver.answer = () => 204;
  return group;
}

/** Makes the endpoint reject the first event of a return for its content, for two days. */
async function refuseOneEvent({ deployment, receiver, service }: Run, atMs: number, first: number) {
  if (deployment.failures.length > 0) return first;
  const [{ key = '' } = {}] = await eventsInLedger(deployment, first);
  const group = deliver(service, [first]);
  const k = `Wms#${key.replace(/\d+$/, String(group))}`;
  const now = Date.now() * 1_000;
  const twoDaysAgo = now - 2 * DAY_US;
  await deployment.putItem('StorageMarks', { k, n: 0, v: 1, s: twoDaysAgo, c: twoDaysAgo, u: now + HOUR_US });
  receiver.answer = ({ path, event }) =>
    path === WMS && isOf(event, group) && event.data.sequence === 1 ? 422 : 204;
  await comeDue(deployment, TICKS, atMs);
  receiver.answer = () => 204;
  return group;
}

/** Resets marks, like after lost messages and senders, and starts the sweeps. */
async function sweepAfterLoss(
  { deployment, receiver }: Run,
  atMs: number,
  first: number,
  second: number,
): Promise<void> {
  if (deployment.failures.length > 0) return;
  const [{ key = '' } = {}] = await eventsInLedger(deployment, first);
  await deployment.putItem('StorageMarks', { k: `Wms#${key}`, n: 0, v: 1 });
  // Resets this webhook's mark of the first return, and deletes its mark of the second, which skipped a filtered event.
  const sent = acceptedOf(receiver, MAILS, first)[0]?.event.data.sequence ?? 0;
  await deployment.putItem('StorageMarks', { k: `Mails#${key}`, n: sent === 1 ? 1 : 0, v: 1 });
  await deployment.deleteItem('StorageMarks', { k: `Mails#${key.replace(/\d+$/, String(second))}` });
  await deployment.deleteItem('StorageMarks', { k: 'Mails#endpoint' });
  await comeDue(deployment, SWEEPS, atMs);
}

async function problemsOf(run: Run, first: number, second: number): Promise<string[]> {
  const { deployment, receiver } = run;
  const idsOf = async (group: number) => (await eventsInLedger(deployment, group)).map(({ id }) => id);
  const [ofFirst, ofSecond] = [await idsOf(first), await idsOf(second)];
  // Only these returns: earlier runs changed others at the service.
  const mails = [first, second].flatMap((group) => acceptedOf(receiver, MAILS, group));
  return [
    ...receiver.forged,
    ...unlessEqual('WMS, first return', acceptedIds(receiver, first), [...ofFirst, ...ofFirst]),
    ...unlessEqual('WMS, second return', acceptedIds(receiver, second), ofSecond.slice(1)),
    ...unlessEqual('mails', [...new Set(mails.map(({ event }) => event.type))], ['shipment.status_changed']),
    ...unlessEqual('mails, returns', [...new Set(mails.map(({ id }) => id))].length, 2),
    ...unlessEqual('mails, header', [...new Set(mails.map((it) => it.authorization))], [BEARER]),
    ...unlessEqual('skipped', skippedBy(deployment), [`Wms ${second} 1-1`]),
    ...changedBodies(receiver.accepted),
  ];
}

function acceptedOf({ accepted }: WebhookReceiver, path: string | undefined, group: number): Delivery[] {
  return accepted.filter((it) => it.path === path && isOf(it.event, group));
}

function acceptedIds(receiver: WebhookReceiver, group: number): string[] {
  return acceptedOf(receiver, WMS, group).map(({ id }) => id);
}

function isOf(event: FeedEvent, group: number): boolean {
  return event.partitionkey.endsWith(`/${group}`);
}

/** The skipped events that the bus reported. */
function skippedBy({ archived }: Deployment): string[] {
  return (archived as { detail: FeedEvent }[]).flatMap(({ detail }) => {
    if (detail.type !== 'feed.events_skipped') return [];
    const { destination, return_group_id: group, from_sequence: from, to_sequence: to } = detail.data.object;
    return [`${destination} ${group} ${from}-${to}`];
  });
}

/** Reports repeated deliveries with another body than the first delivery of their id. */
function changedBodies(accepted: readonly Delivery[]): string[] {
  const bodies = new Map<string, string>();
  return accepted.flatMap(({ id, body }) => {
    const before = bodies.get(id) ?? body;
    bodies.set(id, before);
    return before === body ? [] : [`${id} was delivered with two bodies.`];
  });
}

function unlessEqual(what: string, got: unknown, wanted: unknown): string[] {
  const [is, should] = [JSON.stringify(got), JSON.stringify(wanted)];
  return is === should ? [] : [`Webhooks, ${what}: ${is} instead of ${should}.`];
}

async function eventsInLedger(deployment: Deployment, group: number) {
  const items = (await deployment.itemsOf('StorageLedger')) as { k: string; n: number }[];
  return items
    .filter(({ k }) => k.endsWith(`_${group}`))
    .sort((one, other) => one.n - other.n)
    .map(({ k, n }) => ({ key: k, id: `${k}_${n}` }));
}

/**
 * Delivers a parcel and changes its line items, in a return without events of earlier runs.
 *
 * @returns the return's id
 */
function deliver({ control }: ReferenceService, except: readonly number[]): number {
  const isOpen = (status: unknown) => status !== undefined && status !== 'DELIVERED';
  const group = control
    .snapshot()
    .find(({ id, shipments }) => isOpen(shipments[0]?.status) && !except.includes(Number(id)));
  if (group === undefined) throw new Error('The service has no undelivered shipment left.');
  const id = Number(group.id);
  control.mutate(id, (draft) => {
    draft.shipments[0]!.status = 'DELIVERED';
    for (const item of draft.returns) item.quantity = Number(item.quantity) + 1;
  });
  return id;
}
