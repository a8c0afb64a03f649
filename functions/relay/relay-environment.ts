// A relay's environment variables.
import * as z from 'zod';
import type { DestinationName } from '../../shared/deployment/destinations.ts';

const text = z.string().min(1);

const tables = { LEDGER_TABLE: text, MARKS_TABLE: text };

/** The variables of each destination: its name and its address. */
const DESTINATIONS = {
  ordered: z.object({
    DESTINATION: z.literal('ordered'),
    TOPIC_ARN: z.string().startsWith('arn:', 'must be the ARN of a topic'),
    ...tables,
  }),
  bus: z.object({ DESTINATION: z.literal('bus'), EVENT_BUS_NAME: text, ...tables }),
} as const satisfies { [Name in DestinationName]: z.ZodType<{ readonly DESTINATION: Name }> };

const relayEnvironment = z.discriminatedUnion('DESTINATION', [DESTINATIONS.ordered, DESTINATIONS.bus]);

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
  return 'TOPIC_ARN' in environment ? environment.TOPIC_ARN : environment.EVENT_BUS_NAME;
}
