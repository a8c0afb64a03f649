// `trigger`: posts a recorded event to a receiver, or changes something at the reference service of `npm start`.

import { Command } from 'commander';
import * as z from 'zod';
import { createWebhookPost } from '../../functions/adapters/webhook-post.ts';
import { parseSigningSecret } from '../../functions/adapters/webhook-signature.ts';
import type { ContentType } from '../../shared/deployment/content-type.ts';
import type { Answer } from '../../shared/webhooks/webhook-ports.ts';
import { UsageError } from '../cli/failures.ts';
import {
  contentTypeOption,
  parseForwardUrl,
  readSecret,
  SECRET_HELP,
  SECRET_VARIABLE,
} from '../cli/forward-flags.ts';
import { meantStatus } from '../cli/listed-statuses.ts';
import { createPrinter } from '../cli/print.ts';
import { printable } from '../cli/printable.ts';
import { didYouMean } from '../cli/suggest.ts';
import { isAccepted } from '../feed/format-delivery.ts';
import { findForwardSecret } from '../feed/forward-secret.ts';
import { findRunningService } from '../feed/running-service.ts';
import { exampleTypes, freshExample } from '../receiver-check/example-events.ts';

interface TriggerFlags {
  readonly forwardTo?: URL;
  readonly forwardSecret?: string;
  readonly forwardContentType?: ContentType;
  readonly service?: string;
}

const TIMEOUT_MS = 15_000;
/** The kinds of entity that have a status, with their places in the service's answers. */
const CHANGEABLE = {
  shipment: 'shipments',
  return_line_item: 'returns',
  exchange_line_item: 'exchange_line_items',
} as const;

type ChangeableKind = keyof typeof CHANGEABLE;

const KINDS = Object.keys(CHANGEABLE) as ChangeableKind[];

const HELP = `
With the type of an event, trigger posts the recorded event of that type (docs/events/examples) to
--forward-to, signed as a webhook signs, under an id that no receiver knows. The secret comes from the
file of --forward-secret or from ${SECRET_VARIABLE}; without one, the receiver can't verify it.
With a kind of entity (${KINDS.join(', ')}) and a status, it gives one
entity of the reference service that status. The feed of "npm start" then finds a true change.
Without arguments it lists the types.
Examples:
  returns-feed trigger shipment.status_changed --forward-to http://127.0.0.1:3000/hook --forward-secret key.txt
  returns-feed trigger shipment DELIVERED
  returns-feed trigger return_line_item COMPLETED --service http://127.0.0.1:8080/api
Exit code: 0 the receiver answered 2xx, or the entity is changed, 1 not, 2 invalid usage.`;

export function createTriggerCommand(): Command {
  return new Command('trigger')
    .description('Post a recorded event to a receiver, or change something at the reference service.')
    .argument('[what]', 'a type of event, or a kind of entity')
    .argument('[status]', 'the new status of the entity')
    .option('--forward-to <url>', 'post the recorded event to this URL', parseForwardUrl)
    .option('--forward-secret <file>', SECRET_HELP)
    .addOption(contentTypeOption())
    .option('--service <url>', 'base URL of the reference service (default: that of "npm start")')
    .addHelpText('after', HELP)
    .action(trigger);
}

async function trigger(
  what: string | undefined,
  status: string | undefined,
  flags: TriggerFlags,
): Promise<void> {
  if (what === undefined) return createPrinter(process.stdout).line(exampleTypes().join('\n'));
  if (what.includes('.')) return postExample(what, status, flags);
  if (!isChangeable(what))
    throw new UsageError(
      `"${what}" is no type of event and no kind of entity that has a status (${KINDS.join(', ')}).` +
        `${didYouMean(what, KINDS)} "returns-feed trigger" lists the types.`,
    );
  await changeEntity(what, status, flags);
}

async function postExample(
  type: string,
  status: string | undefined,
  { forwardTo: url, forwardSecret, forwardContentType: contentType, service }: TriggerFlags,
): Promise<void> {
  if (status !== undefined || service !== undefined)
    throw new UsageError('A type of event takes neither a status nor --service.');
  const event = freshExample(type, Date.now());
  if (url === undefined) throw new UsageError(`Add --forward-to URL: where to post ${type}.`);
  const given = readSecret(forwardSecret);
  const secret = given ?? (await findForwardSecret(undefined));
  if (given === undefined)
    await createPrinter(process.stderr).line('signed with a new secret, which the receiver does not know');
  const keys = async () => [parseSigningSecret(secret)];
  const post = createWebhookPost({
    url,
    keys,
    contentType,
    addresses: 'any',
    usesProxy: true,
    timeoutMs: TIMEOUT_MS,
  });
  try {
    const answer = await post({ id: event.id, body: JSON.stringify(event) });
    const line = `${url.host}: ${describe(answer)} after ${answer.requestMs} ms  ${type} ${event.id}`;
    await createPrinter(process.stdout).line(printable(line));
    if (!isAccepted(answer)) process.exitCode = 1;
  } finally {
    post.close();
  }
}

function describe(answer: Answer): string {
  return 'status' in answer ? `answered ${answer.status}` : `no answer (${answer.failure})`;
}

async function changeEntity(
  kind: ChangeableKind,
  status: string | undefined,
  { forwardTo, forwardSecret, forwardContentType, service }: TriggerFlags,
): Promise<void> {
  if ([forwardTo, forwardSecret, forwardContentType].some((option) => option !== undefined))
    throw new UsageError(
      '--forward-to, --forward-secret and --forward-content-type go with a type of event, such as shipment.created.',
    );
  if (status === undefined)
    throw new UsageError(`Name the new status: npx --no returns-feed trigger ${kind} STATUS.`);
  const meant = meantStatus(status, kind);
  if (meant !== undefined)
    throw new UsageError(`A ${kind} has no status "${status}". Did you mean "${meant}"?`);
  const url = service ?? (await findRunningService());
  if (url === undefined)
    throw new UsageError('No "npm start" runs here. Start it, or name another service with --service URL.');
  if (!URL.canParse(url)) throw new UsageError('--service takes a URL such as http://127.0.0.1:8080/api.');
  const { groupId, entityId, before } = await triggerChange(url, kind, status);
  await createPrinter(process.stdout).line(
    printable(`return group ${groupId}, ${kind} ${entityId}: ${before} → ${status}`),
  );
}

function isChangeable(what: string): what is ChangeableKind {
  return Object.hasOwn(CHANGEABLE, what);
}

const entity = z.object({ id: z.union([z.string(), z.number()]), status: z.string() });
const group = z.object({
  id: z.int(),
  shipments: z.array(entity),
  returns: z.array(entity),
  exchange_line_items: z.array(entity),
});

type Group = z.infer<typeof group>;

/**
 * Changes the first entity of the newest return group that has another status.
 *
 * @param baseUrl of the service, as the feed uses it
 * @returns the ids of group and entity, and the status before
 * @throws UsageError if no entity could change, Error if the service does not answer
 */
async function triggerChange(baseUrl: string, kind: ChangeableKind, status: string) {
  const control = new URL('/_control/', baseUrl);
  const { data: groups } = z.array(group).safeParse(await ask(new URL('snapshot', control)));
  if (groups === undefined)
    throw new Error(`The server at ${control.origin} is no reference service. Start one with "npm start".`);
  const found = findEntity(groups, kind, status);
  if (found === undefined)
    throw new UsageError(`No ${kind} at the service has another status than ${status}.`);
  const { groupId, index, place, ...change } = found;
  const set = { [`${place}.${index}.status`]: status, ...stampsOf(kind, status, `${place}.${index}`) };
  await ask(new URL('mutate', control), { groupId, set });
  return { groupId, ...change };
}

function findEntity(groups: readonly Group[], kind: ChangeableKind, status: string) {
  const place = CHANGEABLE[kind];
  for (const each of groups.toReversed()) {
    const index = each[place].findIndex((it) => it.status !== status);
    const found = each[place][index];
    if (found !== undefined)
      return { groupId: each.id, place, index, entityId: found.id, before: found.status };
  }
  return undefined;
}

/** A delivered parcel also gets the time of its delivery. */
function stampsOf(kind: ChangeableKind, status: string, path: string): Record<string, string> {
  const isDelivered = kind === 'shipment' && status === 'DELIVERED';
  return isDelivered ? { [`${path}.delivered_at`]: new Date().toISOString() } : {};
}

async function ask(url: URL, body?: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const request = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await fetch(url, request).catch((cause: unknown) => {
    throw new Error(`No reference service answers at ${url.origin}. Start one with "npm start".`, { cause });
  });
  if (answer.ok) return answer.json().catch(() => undefined);
  throw new Error(
    `The service answered ${answer.status} to ${url.pathname}: ${(await answer.text()).slice(0, 200)}`,
  );
}
