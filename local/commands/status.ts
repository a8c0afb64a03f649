// `status`: prints the sources' stored states. It sends no request to the service and changes nothing.
import { Command } from 'commander';
import { MILLISECOND } from '../../shared/instant.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import { formatFailure } from '../cli/failures.ts';
import { createPrinter } from '../cli/print.ts';
import { formatStatus } from '../operating/format-status.ts';
import { formatWebhookLine } from '../operating/format-webhooks.ts';
import { listWebhookStates } from '../operating/list-webhook-states.ts';
import type { PlaceFlags } from '../operating/open-place.ts';
import { type OpenStates, openStates } from '../operating/open-states.ts';
import { addPlaceOptions } from '../operating/place-options.ts';
import { describeSource } from '../operating/source-status.ts';
import type { WebhookStatus } from '../operating/webhook-status.ts';

interface StatusFlags extends PlaceFlags {
  readonly source?: string;
  readonly json: boolean;
}

/** Exit code: the command worked, but a source needs attention. */
const NOT_COMPLETELY_READ = 3;

const HELP = `
Below the sources, each webhook has a line; with --data, each URL that "watch" forwarded to (only a
digest of it is kept). "webhooks list" shows more, and its exit code reports webhooks.
Exit code: 0 all sources are well (a baseline may be under way), 3 a source is not read completely
(held, degraded, or nothing polls it), 1 the state can't be read, 2 invalid usage.`;

export function createStatusCommand(): Command {
  const command = new Command('status')
    .description('Show how far each source is read, what is held, and what to do about it.')
    .option('--source <name>', 'show only this source');
  return addPlaceOptions(command)
    .option('--json', 'print one JSON object', false)
    .addHelpText('after', HELP)
    .action(status);
}

async function status({ source, json, ...place }: StatusFlags): Promise<void> {
  const open = await openStates(place);
  try {
    const loaded = await Promise.all((await open.sources(source)).map((name) => open.states.load(name)));
    const states = loaded.filter((state): state is SourceState => state !== undefined);
    const now = Date.now();
    // Without permission to describe the tables, the rest of the status is still available.
    const place = await open.states.identity().catch(() => undefined);
    const sources = states.map((state) => describeSource(state, now * MILLISECOND, open.flags, place));
    const out = createPrinter(process.stdout);
    const webhooks = await findWebhooks(open, now);
    if (json) await out.line(JSON.stringify({ sources, webhooks }, null, 2));
    else if (sources.length === 0) await out.line('no source yet');
    for (const [index, each] of json ? [] : sources.entries()) {
      const lines = formatStatus(each, now);
      await out.line((index === 0 ? lines : ['', ...lines]).join('\n'));
    }
    if (!json && webhooks !== null && webhooks.length > 0)
      await out.line(['', ...webhooks.map((webhook) => formatWebhookLine(webhook, now))].join('\n'));
    if (sources.some(({ isHealthy }) => !isHealthy)) process.exitCode = NOT_COMPLETELY_READ;
  } finally {
    await open.close();
  }
}

/** @returns null where they can't be read: the sources' status is still of use */
async function findWebhooks(open: OpenStates, now: number): Promise<WebhookStatus[] | null> {
  // Without the table of marks, nothing is known of webhooks.
  if (open.deployment.marks === undefined) return null;
  return listWebhookStates(open, now * MILLISECOND).catch(async (error: unknown) => {
    await createPrinter(process.stderr).line(`The webhooks are left out. ${formatFailure(error)}`);
    return null;
  });
}
