// Reads one list from the service at argv[2], as the poller does: transport, client, rows, readings. Prints the outcome
// and by how many MB the process grew meanwhile.
import { createHttpsTransport } from '../../../../functions/adapters/https-transport.ts';
import { readingsOf, unreadableOf } from '../../../../shared/recording/readings-of-page.ts';
import { createReturnsServiceClient } from '../../../../shared/returns-service/client.ts';

const transport = createHttpsTransport();
const client = createReturnsServiceClient({
  baseUrl: process.argv[2] ?? '',
  token: 'tok',
  transport,
  timeoutMs: 60_000,
});
const before = process.memoryUsage.rss();

const [outcome, rows] = await client.listReturnGroups({}).then(
  (answer) => {
    const page = { ...answer, sentAt: 0, receivedAt: 0 };
    const readings = readingsOf(page, { through: 'poll', customerData: false });
    return [`${readings.length} readings, ${unreadableOf(page).length} unreadable`, answer.rows] as const;
  },
  (error: Error) => [error.name, []] as const,
);
transport.close();

const peakMb = (process.resourceUsage().maxRSS * 1_024 - before) / 1e6;
process.stdout.write(JSON.stringify({ outcome, rows: rows.length, peakMb }));
