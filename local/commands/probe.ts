// `probe`: measures how a returns service behaves where its document leaves that open.
import { Command, Option } from 'commander';
import { createHttpsTransport } from '../../functions/adapters/https-transport.ts';
import { createSystemClock } from '../../functions/adapters/system-clock.ts';
import { REQUEST_TIMEOUT_MS } from '../../shared/limits.ts';
import { askWithin } from '../../shared/probing/ask-within.ts';
import { probeService } from '../../shared/probing/probe-service.ts';
import { createReturnsServiceClient } from '../../shared/returns-service/client.ts';
import { parseCount, parseDuration } from '../cli/durations.ts';
import { NEEDS_ATTENTION } from '../cli/failures.ts';
import { layoutOf } from '../cli/layout.ts';
import { createPrinter } from '../cli/print.ts';
import { readBaseUrl, readToken, TOKEN_VARIABLE } from '../cli/service-options.ts';
import { formatProbe } from '../operating/format-probe.ts';

interface ProbeFlags {
  readonly baseUrl: string;
  readonly requests: number;
  readonly timeout: number;
  readonly json: boolean;
}

/** Three requests a second: far below the service's limit, and a probe still ends within seconds. */
const PAUSE_MS = 330;

const HELP = `
Checks the order of the list, page sizes, filter bounds, the format of timestamps and look-ups by
id, in about fifteen requests. It only reads. The feed does not depend on the result: it adapts to
every answer. The probe can't check whether changes become visible late, whether reads may be stale,
and how the service answers a refused token. It tries a failed request again. The output names the
questions that stayed without an answer, and why: for instance, an empty store answers few.
Examples:
  returns-feed probe --base-url https://returns.example.com/api
  returns-feed probe --base-url https://returns.example.com/api --json
Exit code: 0 all questions are answered, 3 some are not, 1 nothing could be read, 2 invalid usage.`;

export function createProbeCommand(): Command {
  return new Command('probe')
    .description(
      `Check what a returns service's document leaves open. Reads the token from ${TOKEN_VARIABLE}.`,
    )
    .requiredOption('--base-url <url>', 'address of the service, including its path prefix')
    .option('--requests <number>', 'maximum number of requests', parseCount, 40)
    .addOption(
      new Option('--timeout <time>', 'timeout of a request')
        .argParser(parseDuration)
        .default(REQUEST_TIMEOUT_MS, '10s'),
    )
    .option('--json', 'print one JSON object', false)
    .addHelpText('after', HELP)
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
    const lines = json
      ? [JSON.stringify({ host, ...report }, null, 2)]
      : formatProbe(host, report, layoutOf(process.stdout).width);
    await createPrinter(process.stdout).line(lines.join('\n'));
    if (report.unanswered.length > 0) process.exitCode = NEEDS_ATTENTION;
  } finally {
    transport.close();
  }
}
