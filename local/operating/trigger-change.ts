// Changes the status of an entity at a reference service, through the service's control interface.
import * as z from 'zod';
import { UsageError } from '../cli/failures.ts';

/** The kinds of entity that have a status, with their places in the service's answers. */
export const CHANGEABLE = {
  shipment: 'shipments',
  return_line_item: 'returns',
  exchange_line_item: 'exchange_line_items',
} as const;

export type ChangeableKind = keyof typeof CHANGEABLE;

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
export async function triggerChange(baseUrl: string, kind: ChangeableKind, status: string) {
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
