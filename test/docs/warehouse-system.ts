// A warehouse system that the documented receivers book arrivals in; the test sees their effects there.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Deferred, deferred } from '../functions/subscriber-kit/receiver-under-test.ts';

/** The needed part of a booked event. */
export interface Arrival {
  readonly id: string;
  /** The path of the request: what the receiver takes for the arrival. */
  readonly address: string;
  readonly partitionkey: string;
  readonly data: { readonly object: { readonly tracking_number: string } };
}

export interface WarehouseSystem {
  readonly url: string;
  /** The booked events of a return, in order. */
  arrivalsOf(group: number): readonly Arrival[];
  /** The addresses of all arrivals. */
  addresses(): readonly string[];
  /** Returns for which two bookings ran at once. */
  readonly overlaps: readonly string[];
  /** Refuses the event's next booking. */
  failOnce(id: string): void;
  /** Leaves the event's booking unanswered. @returns when it began, and how to let it end */
  hold(id: string): { readonly begun: Promise<void>; readonly release: () => void };
  stop(): Promise<void>;
}

export async function startWarehouseSystem(): Promise<WarehouseSystem> {
  const arrivals: Arrival[] = [];
  const overlaps: string[] = [];
  const running = new Set<string>();
  const failing = new Set<string>();
  const held = new Map<string, { readonly begun: Deferred; readonly end: Deferred }>();

  async function book(arrival: Arrival): Promise<number> {
    if (running.has(arrival.partitionkey)) overlaps.push(arrival.partitionkey);
    running.add(arrival.partitionkey);
    const hold = held.get(arrival.id);
    hold?.begun.resolve();
    await hold?.end.promise;
    running.delete(arrival.partitionkey);
    if (failing.delete(arrival.id)) return 500;
    arrivals.push(arrival);
    return 204;
  }

  const server = createServer(async (request, response) => {
    const event = JSON.parse(await text(request));
    response.writeHead(await book({ ...event, address: request.url })).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivalsOf: (group) => arrivals.filter(({ partitionkey }) => partitionkey === `acme/${group}`),
    addresses: () => arrivals.map(({ address }) => address),
    overlaps,
    failOnce: (id) => void failing.add(id),
    hold(id) {
      const [begun, end] = [deferred(), deferred()];
      held.set(id, { begun, end });
      return { begun: begun.promise, release: end.resolve };
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
