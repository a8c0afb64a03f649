import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ALL_KINDS, type ChangeKind } from './change-kinds.ts';
import type { Group } from './group.ts';
import type { Fields } from './history.ts';
import { createOutsideStore, type OutsideStore } from './outside-store.ts';
import { createRandom, type Random } from './random.ts';
import { renderGroup } from './render-group.ts';
import type { Bounds } from './shown-groups.ts';

/**
 * A returns service that is written only from the service's document. A `Behaviour` decides what the document leaves open,
 * in the least convenient ways.
 */
export interface OutsideService {
  readonly url: string;
  readonly store: OutsideStore;
  readonly requests: readonly ServedRequest[];
  /** The id of the failing row. */
  readonly failingId: number | undefined;
  hasDeedsLeft(): boolean;
  startChanging(): void;
  stopChanging(): void;
  close(): Promise<void>;
}

export interface ServedRequest {
  readonly at: number;
  readonly query: string;
  readonly outcome: string;
}

export interface Behaviour {
  readonly groups?: number;
  readonly firstId?: number;
  readonly changesPerSecond?: number;
  readonly kinds?: readonly ChangeKind[];
  readonly strangeStatuses?: boolean;
  readonly order?: Order;
  /** The number of rows in a page without a limit, and the maximum. */
  readonly defaultLimit?: number;
  readonly mostRows?: number;
  /** No list shows rows beyond this number. */
  readonly windowRows?: number;
  readonly exclusiveBounds?: boolean;
  readonly stamp?: (time: number) => string;
  /** Filters compare a row's stamp as shown, including this shift. */
  readonly shiftMs?: number;
  readonly wholeSeconds?: boolean;
  readonly shipmentsMoveStamp?: boolean;
  readonly drawDelayMs?: () => number;
  readonly staleMs?: number;
  /** Returns the answer instead of a page; undefined to serve the page. Age counts from the first change, in ms. */
  readonly fault?: (query: URLSearchParams, age: number) => Fault | undefined;
  /** The group, by its place, that makes every answer with it fail from the first change on. */
  readonly failing?: { readonly index: number; readonly as: Fault };
  /** Rewrites a row before it is sent. */
  readonly damage?: (row: Fields, age: number) => unknown;
  readonly deeds?: readonly Deed[];
}

/** A single change of the store, in addition to the drawn ones. */
export interface Deed {
  /** Not before this age, in ms, */
  readonly at: number;
  /** and not before this many requests since the first change: on a busy machine they show the feed's progress. */
  readonly requests?: number;
  readonly edit: (store: OutsideStore) => void;
}

export type Order = 'created' | 'newest-created' | 'newest-updated' | 'random';

export type Fault =
  | { readonly status: number; readonly body?: string; readonly retryAfterS?: number }
  | 'hang'
  | 'truncate'
  | 'disconnect';

export const TOKEN = 'outside-token';

export async function startOutsideService(behaviour: Behaviour, random: Random): Promise<OutsideService> {
  const stamp = behaviour.stamp ?? ((time) => new Date(time).toISOString());
  const store = createOutsideStore({
    groups: behaviour.groups ?? 120,
    firstId: behaviour.firstId ?? 700_001,
    random,
    stamp,
    drawDelayMs: behaviour.drawDelayMs ?? (() => 0),
    staleMs: behaviour.staleMs ?? 0,
    shipmentsMoveStamp: behaviour.shipmentsMoveStamp ?? true,
    kinds: behaviour.kinds ?? ALL_KINDS,
    strangeStatuses: behaviour.strangeStatuses ?? false,
  });
  let changingSince: number | undefined;
  const age = () => (changingSince === undefined ? 0 : Date.now() - changingSince);
  const requests: ServedRequest[] = [];
  const failingId = behaviour.failing && store.groupIds()[behaviour.failing.index];
  const orders = createRandom(random.between(1, 2 ** 31));
  const current = store.view();
  const stale = behaviour.staleMs ? store.view() : current;
  const texts = new WeakMap<Group, string>();

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const outcome = serve(request, response, url);
    requests.push({ at: Date.now(), query: url.search, outcome });
  });

  function serve(request: IncomingMessage, response: ServerResponse, url: URL): string {
    if (url.pathname !== '/api/v2/return-groups') return send(response, 404, '{"detail":"Not Found"}');
    if (request.headers['x-service-api-token'] !== TOKEN) return send(response, 401, '{"detail":"token"}');
    const query = url.searchParams;
    const invalid = firstInvalid(query);
    if (invalid) return send(response, 422, validationError(invalid));
    const rows = page(query);
    const { failing } = behaviour;
    const fails = changingSince !== undefined && rows.some(({ id }) => id === failingId);
    const fault = fails ? failing?.as : behaviour.fault?.(query, age());
    if (fault === 'hang') return 'hang';
    if (fault === 'disconnect') {
      request.socket.destroy();
      return 'disconnect';
    }
    if (fault && fault !== 'truncate') {
      if (fault.retryAfterS !== undefined) response.setHeader('retry-after', String(fault.retryAfterS));
      return send(response, fault.status, fault.body ?? 'Something went wrong');
    }
    const body = `[${rows.map(textOf).join(',')}]`;
    return send(response, 200, fault === 'truncate' ? body.slice(0, Math.floor(body.length * 0.7)) : body);
  }

  function textOf(group: Group): string {
    if (behaviour.damage) return JSON.stringify(behaviour.damage(renderGroup(group, stamp), age())) ?? 'null';
    const text = texts.get(group) ?? JSON.stringify(renderGroup(group, stamp));
    texts.set(group, text);
    return text;
  }

  function page(query: URLSearchParams): Group[] {
    const lag = behaviour.staleMs && random.chance(0.5) ? behaviour.staleMs : 0;
    const view = lag > 0 ? stale : current;
    view.moveTo(Date.now() - lag);
    const near = view.within(bounds(query, 'created_at'), bounds(query, 'updated_at'));
    const rows = [...query.keys()].some(isFilter) ? near.filter(filterOf(query)) : near;
    const offset = Number(query.get('offset') ?? 0);
    const asked = Number(query.get('limit') ?? behaviour.defaultLimit ?? 50);
    const end = Math.min(
      offset + Math.min(asked, behaviour.mostRows ?? 100),
      behaviour.windowRows ?? Infinity,
    );
    if (behaviour.order === 'random') return draw(rows, Math.min(end, rows.length) - offset, orders);
    sort(rows, behaviour.order ?? 'created');
    return rows.slice(offset, end);
  }

  /** Returns bounds that include shifted and truncated times. The filter is exact. */
  function bounds(query: URLSearchParams, name: string): Bounds {
    const [least, most] = [query.get(`min_${name}`), query.get(`max_${name}`)];
    const slack = Math.abs(behaviour.shiftMs ?? 0) + 1_000;
    return {
      least: least === null ? -Infinity : instant(least) - slack,
      most: most === null ? Infinity : instant(most) + slack,
    };
  }

  /** Reads the query once, not once for each group. */
  function filterOf(query: URLSearchParams): (group: Group) => boolean {
    const id = query.get('return_group_id');
    const order = query.get('order_id');
    const name = query.get('order_name');
    const email = query.get('email') ?? 'ann@example.com';
    const isBorn = within(query.get('min_created_at'), query.get('max_created_at'));
    const isMoved = within(query.get('min_updated_at'), query.get('max_updated_at'));
    return (group) =>
      (id === null || Number(id) === group.id) &&
      (order === null || Number(order) === group.id + 5_000_000) &&
      (name === null || name === `#${group.id}`) &&
      email === 'ann@example.com' &&
      isBorn(group.createdAt) &&
      isMoved(group.updatedAt);
  }

  function within(from: string | null, until: string | null): (time: number) => boolean {
    const least = from === null ? -Infinity : instant(from);
    const most = until === null ? Infinity : instant(until);
    return (time) => {
      const shifted = time + (behaviour.shiftMs ?? 0);
      const shown = behaviour.wholeSeconds ? Math.floor(shifted / 1000) * 1000 : shifted;
      return behaviour.exclusiveBounds ? shown > least && shown < most : shown >= least && shown <= most;
    };
  }

  const timers: NodeJS.Timeout[] = [];
  const waiting = [...(behaviour.deeds ?? [])];
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/api`,
    store,
    requests,
    failingId,
    hasDeedsLeft: () => waiting.length > 0,
    startChanging() {
      changingSince = Date.now();
      const before = requests.length;
      timers.push(
        setInterval(() => {
          const due = waiting.filter(
            ({ at, requests: asked = 0 }) => age() >= at && requests.length - before >= asked,
          );
          for (const deed of due) {
            waiting.splice(waiting.indexOf(deed), 1);
            deed.edit(store);
          }
        }, 250),
      );
      const perSecond = behaviour.changesPerSecond ?? 2;
      if (perSecond > 0) timers.push(setInterval(() => store.changeSomething(), 1000 / perSecond));
    },
    stopChanging() {
      for (const timer of timers) clearTimeout(timer);
    },
    async close() {
      for (const timer of timers) clearTimeout(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function sort(groups: Group[], order: Exclude<Order, 'random'>): void {
  if (order === 'newest-created')
    groups.sort((one, other) => other.createdAt - one.createdAt || other.id - one.id);
  if (order === 'newest-updated')
    groups.sort((one, other) => other.updatedAt - one.updatedAt || other.id - one.id);
}

/** Returns a random sample of the groups, like a page with a random order. */
function draw(groups: Group[], count: number, random: Random): Group[] {
  for (let first = 0; first < count; first++) {
    const other = random.between(first, groups.length - 1);
    const kept = groups[first]!;
    groups[first] = groups[other]!;
    groups[other] = kept;
  }
  return groups.slice(0, Math.max(0, count));
}

function isFilter(name: string): boolean {
  return name !== 'limit' && name !== 'offset';
}

function send(response: ServerResponse, status: number, body: string): string {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(body);
  return String(status);
}

const WHOLE_NUMBERS = ['limit', 'offset', 'return_group_id', 'order_id'];

function firstInvalid(query: URLSearchParams): string | undefined {
  return [...query.keys()].find((name) => {
    const value = query.get(name) ?? '';
    if (WHOLE_NUMBERS.includes(name)) return !/^\d+$/.test(value);
    return /_(created|updated|shipped)_at$/.test(name) && Number.isNaN(instant(value));
  });
}

/** A text without a zone is UTC. */
function instant(text: string): number {
  return Date.parse(/(Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`);
}

export function validationError(name: string): string {
  return JSON.stringify({
    detail: [{ loc: ['query', name], msg: `not a valid ${name}`, type: 'value_error' }],
  });
}
