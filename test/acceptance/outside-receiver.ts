// A receiver of webhooks that is independent of this project: it verifies with the library of Standard Webhooks,
// sometimes fails, always rejects the events of some returns, and records the accepted events.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { Webhook } from 'standardwebhooks';
import type { Problem } from './evidence.ts';
import type { PrintedEvent } from './history.ts';
import type { Random } from './random.ts';

export interface OutsideReceiver {
  readonly url: string;
  readonly secret: string;
  /** Returns whether every printed event of the accepted returns has arrived. */
  hasAll(printed: readonly PrintedEvent[]): boolean;
  problems(printed: readonly PrintedEvent[]): Problem[];
  close(): Promise<void>;
}

const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes, so').toString('base64')}`;
const FAILING_SHARE = 0.15;
/** Accepts an event after this many failures: after four, the next attempt would come only five minutes later. */
const MOST_FAILURES = 2;
/** Always rejects returns with an id that is a multiple of this. */
const REFUSED_EVERY = 17;

interface Delivered {
  readonly id: string;
  readonly body: string;
}

export async function startOutsideReceiver(random: Random): Promise<OutsideReceiver> {
  const taken: Delivered[] = [];
  const bodies = new Map<string, string>();
  const failures = new Map<string, number>();
  const found: Problem[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const answer = (status: number) => response.writeHead(status).end();
    const id = String(request.headers['webhook-id']);
    try {
      new Webhook(SECRET).verify(body, request.headers as Record<string, string>);
    } catch (error) {
      found.push({ rule: 'delivered', text: `${id} does not verify: ${(error as Error).message}` });
      return answer(401);
    }
    if ((bodies.get(id) ?? body) !== body) found.push({ rule: 'delivered', text: `${id} has two bodies` });
    bodies.set(id, body);
    if (isRefused(id)) return answer(400);
    const failed = failures.get(id) ?? 0;
    if (random.next() < FAILING_SHARE && failed < MOST_FAILURES) {
      failures.set(id, failed + 1);
      return answer(random.pick([500, 502, 504]));
    }
    taken.push({ id, body });
    return answer(200);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const wanted = (printed: readonly PrintedEvent[]) =>
    printed.map(({ line }) => ({ line, id: String(JSON.parse(line).id) })).filter(({ id }) => !isRefused(id));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    secret: SECRET,
    hasAll(printed) {
      const ids = new Set(taken.map(({ id }) => id));
      return wanted(printed).every(({ id }) => ids.has(id));
    },
    problems(printed) {
      const byId = new Map(taken.map(({ id, body }) => [id, body]));
      const lost = wanted(printed).flatMap(({ id, line }) => {
        const body = byId.get(id);
        if (body === undefined) return [`${id} was printed and never arrived`];
        return isDeepStrictEqual(JSON.parse(body), JSON.parse(line))
          ? []
          : [`${id} arrived unlike it was printed`];
      });
      return [
        ...found,
        ...[...lost, ...outOfOrder(taken)].map((text) => ({ rule: 'delivered' as const, text })),
      ];
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function isRefused(id: string): boolean {
  return groupOf(id) % REFUSED_EVERY === 0;
}

function groupOf(id: string): number {
  return Number(id.split('_')[2]);
}

/** Reports returns whose events, without repeats, did not arrive in ascending order without gaps. */
function outOfOrder(taken: readonly Delivered[]): string[] {
  const last = new Map<number, number>();
  const texts: string[] = [];
  for (const { id } of taken) {
    const [group, number] = [groupOf(id), Number(id.split('_')[3])];
    const before = last.get(group) ?? 0;
    if (number <= before) continue;
    if (number !== before + 1) texts.push(`${id} arrived when number ${before} was the last of its return`);
    last.set(group, number);
  }
  return texts;
}
