// A relay's environment variables.
import * as z from 'zod';
import type { RelayName } from '../../shared/deployment/destinations.ts';
import { environmentParser } from '../adapters/parse-environment.ts';

const text = z.string().min(1);

const tables = { LEDGER_TABLE: text, MARKS_TABLE: text, SNAPSHOTS_TABLE: text, SOURCES_TABLE: text };

/** The variables of each destination: its name and, if events are sent to it, its address. */
const DESTINATIONS = {
  ordered: z.object({
    DESTINATION: z.literal('ordered'),
    TOPIC_ARN: z.string().startsWith('arn:', 'must be the ARN of a topic'),
    ...tables,
  }),
  bus: z.object({ DESTINATION: z.literal('bus'), EVENT_BUS_NAME: text, ...tables }),
  pull: z.object({ DESTINATION: z.literal('pull'), ...tables }),
} as const satisfies { [Name in RelayName]: z.ZodType<{ readonly DESTINATION: Name }> };

const { ordered, ...others } = DESTINATIONS;
const relayEnvironment = z.discriminatedUnion('DESTINATION', [ordered, ...Object.values(others)]);

export type RelayEnvironment = z.infer<typeof relayEnvironment>;

export const parseRelayEnvironment = environmentParser("The relay's environment", relayEnvironment);
