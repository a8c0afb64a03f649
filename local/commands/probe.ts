// `probe`: how a returns service answers what its document leaves open.
import { Command, Option } from 'commander';
import { createHttpsTransport } from '../../functions/adapters/https-transport.ts';
import { createSystemClock } from '../../functions/adapters/system-clock.ts';
import { REQUEST_TIMEOUT_MS } from '../../shared/limits.ts';
import { askWithin } from '../../shared/probing/ask-within.ts';
import { probeService } from '../../shared/probing/probe-service.ts';
import { createReturnsServiceClient } from '../../shared/returns-service/client.ts';
import { parseCount, parseDuration } from '../cli/durations.ts';
import { createPrinter } from '../cli/print.ts';
import { readBaseUrl, readToken, TOKEN_VARIABLE } from '../cli/service-options.ts';
import { formatProbe } from '../operating/format-probe.ts';

interface ProbeFlags {
  readonly baseUrl: string;
  readonly requests: number;
  readonly timeout: number;
  readonly json: boolean;
}

/** Three a second: far below what the service allows, and soon over. */
const PAUSE_MS = 330;

const WHAT_IT_DOES = `
Asks for the order of the list, page sizes, bounds, the form of stamps, look-ups by id; reads and
changes nothing, in about fifteen requests. The feed needs none of it: it takes every answer as it
comes. What one look can't show is not asked: whether changes show late, whether reads may be
stale, what a refused token gets.`;

export function createProbeCommand(): Command {
  return new Command('probe')
    .description(
      `Ask a returns service what its document leaves open. The token is read from ${TOKEN_VARIABLE}.`,
    )
    .requiredOption('--base-url <url>', 'address of the service, its path prefix included')
    .option('--requests <number>', 'requests that it may take at most', parseCount, 40)
    .addOption(
      new Option('--timeout <time>', 'after which a request is given up')
        .argParser(parseDuration)
        .default(REQUEST_TIMEOUT_MS, '10s'),
    )
    .option('--json', 'one JSON object', false)
    .addHelpText('after', WHAT_IT_DOES)
    .action(probe);
}

async function probe({ baseUrl: text, requests, timeout, json }: ProbeFlags): Promise<void> {
  const baseUrl = readBaseUrl(text);
  const token = readToken(process.env);
  const transport = createHttpsTransport();
  try {
    const client = createReturnsServiceClient({ baseUrl, token, transport, timeoutMs: timeout });
    const clock = createSystemClock();
    const report = await probeService(
      askWithin({ client, clock, mostRequests: requests, pauseMs: PAUSE_MS }),
    );
    const { host } = new URL(baseUrl);
    const lines = json ? [JSON.stringify({ host, ...report }, null, 2)] : formatProbe(host, report);
    await createPrinter(process.stdout).line(lines.join('\n'));
  } finally {
    transport.close();
  }
}
