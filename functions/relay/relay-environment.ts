// A relay's environment variables.
import * as z from 'zod';
import type { DestinationName } from '../../shared/deployment/destinations.ts';

const text = z.string().min(1);

const tables = { LEDGER_TABLE: text, MARKS_TABLE: text };

/** The variables that name each destination's address. */
const ADDRESSES = {
  queue: { QUEUE_URL: z.url() },
  bus: { EVENT_BUS_NAME: text },
} as const satisfies Record<DestinationName, z.ZodRawShape>;

const relayEnvironment = z.discriminatedUnion('DESTINATION', [
  z.object({ DESTINATION: z.literal('queue'), ...ADDRESSES.queue, ...tables }),
  z.object({ DESTINATION: z.literal('bus'), ...ADDRESSES.bus, ...tables }),
]);

export type RelayEnvironment = z.infer<typeof relayEnvironment>;

/** @throws an error that names every missing or invalid variable */
export function parseRelayEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): RelayEnvironment {
  const parsed = relayEnvironment.safeParse(environment);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new Error(`The relay's environment is incomplete or invalid. ${problems.join('; ')}.`);
}

/** Returns what the destination's client needs to reach it. */
export function addressOf(environment: RelayEnvironment): string {
  return environment.DESTINATION === 'queue' ? environment.QUEUE_URL : environment.EVENT_BUS_NAME;
}
