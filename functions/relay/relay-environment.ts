// A relay's environment variables.
import * as z from 'zod';

const text = z.string().min(1);

const tables = { LEDGER_TABLE: text, MARKS_TABLE: text };

/** A destination without a variable of its own does not compile. */
const relayEnvironment = z.discriminatedUnion('DESTINATION', [
  z.object({ DESTINATION: z.literal('queue'), QUEUE_URL: z.url(), ...tables }),
  z.object({ DESTINATION: z.literal('bus'), EVENT_BUS_NAME: text, ...tables }),
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
