// `move`: from a data directory to a deployment, with all numbers, ids and marks.
import { Command } from 'commander';
import { markOf } from '../../shared/deployment/destinations.ts';
import { counted } from '../cli/counts.ts';
import { UsageError } from '../cli/failures.ts';
import { describeStack, parseDirectory } from '../cli/place-options.ts';
import { createPrinter, type Printer } from '../cli/print.ts';
import { shellWord } from '../cli/shell-word.ts';
import { readForwardSecret } from '../feed/forward-secret.ts';
import { type MovedWebhook, moveSource } from '../operating/move-source.ts';
import { withRingQueue, withSecrets } from '../operating/open-webhook.ts';
import { findWebhook, listWebhooks, relaysOf } from '../place/named-destinations.ts';
import { type DeployedFeed, withDeployment } from '../place/open-deployment.ts';
import { openKnownStore } from '../place/open-directory.ts';
import type { LocalStore } from '../store/open-store.ts';
import { watchHolder } from '../store/watch-lock.ts';
import { readSigningSecret } from './webhooks-secrets.ts';

interface Flags {
  readonly data: string;
  readonly stack?: string;
  readonly source?: readonly string[];
  readonly webhook: readonly UrlAndWebhook[];
  readonly leave: readonly string[];
}

interface UrlAndWebhook {
  readonly address: string;
  readonly webhook: string;
}

const HELP = `
Stop "watch" first: the command ends what the directory does with a source, then copies its returns,
events and marks, and its state last. Numbers, ids and generation go on in the deployment; the topic and
the bus get only what is new. Each URL that "watch" forwards to needs its webhook (--webhook), which goes
on where the URL stopped and signs with the same secret, or is left (--leave). Readers of the pull feed
begin anew with "state": offsets do not move. After an interruption, run it again.
Then let the deployment poll the source with "sources add", or resume a paused source of the stack.
Example:
  returns-feed move --data state --stack ReturnsFeed --webhook https://wms.example.com/returns=Wms`;

export function createMoveCommand(): Command {
  return new Command('move')
    .description('Move the sources of a data directory to a deployment. Their numbers and ids go on there.')
    .requiredOption(
      '--data <dir>',
      'data directory of "watch --data", which must not be running',
      parseDirectory,
    )
    .option('--stack <name>', describeStack(' and WEBHOOKS_PATH'))
    .option('--source <name...>', 'only these sources (default: all of the directory)')
    .option('--webhook <url=id>', 'the webhook that goes on for a forwarded URL; repeatable', parsePair, [])
    .option('--leave <url>', 'a forwarded URL that gets no more events; repeatable', collect, [])
    .addHelpText('after', HELP)
    .action(move);
}

function parsePair(text: string, before: readonly UrlAndWebhook[]): UrlAndWebhook[] {
  const at = text.lastIndexOf('=');
  if (at <= 0 || at === text.length - 1)
    throw new UsageError(`--webhook takes a URL, "=" and the id of a webhook (got ${text}).`);
  return [...before, { address: text.slice(0, at), webhook: text.slice(at + 1) }];
}

function collect(text: string, before: readonly string[]): string[] {
  return [...before, text];
}

async function move(flags: Flags): Promise<void> {
  const { data } = flags;
  if ((await watchHolder(data)) !== undefined)
    throw new UsageError(`A "watch" runs with ${data}: stop it first, so that it numbers no more events.`);
  const from = await openKnownStore(data);
  try {
    const known = await from.sources();
    const unknown = flags.source?.find((name) => !known.includes(name));
    if (unknown !== undefined)
      throw new UsageError(`There is no source "${unknown}" in ${data}; there are ${known.join(', ')}.`);
    await withDeployment(flags, (feed) => moveAll(feed, from, flags.source ?? known, flags));
  } finally {
    await from.close();
  }
}

async function moveAll(
  feed: DeployedFeed,
  from: LocalStore,
  sources: readonly string[],
  flags: Flags,
): Promise<void> {
  const [out, err] = [createPrinter(process.stdout), createPrinter(process.stderr)];
  const { client, clock, deployment: tables, states, marks, endpoints } = feed;
  const entries = (await feed.configured()) ?? new Map<string, { readonly isPaused: boolean }>();
  const polled = sources.filter((source) => entries.get(source)?.isPaused === false);
  if (polled.length > 0)
    throw new UsageError(
      `The deployment polls ${polled.join(' and ')}: pause it first (returns-feed sources pause ` +
        `${polled.join(' ')}${feed.flags}).`,
    );
  const records = await listWebhooks(tables);
  const destinations = [...relaysOf(tables).map(markOf), ...records.map(({ id }) => id)];
  const webhooks = await findWebhooks(feed, from, flags);
  await takeSecrets(feed, flags, err);
  for (const source of sources) {
    const { wasMoved, snapshots, events, rung, state } = await moveSource(
      {
        from,
        to: { client, clock, tables, states, marks, endpoints, destinations },
        webhooks,
        onProgress: (message) => err.line(message),
      },
      source,
    );
    const waiting = rung === 0 ? '' : ` ${counted(rung, 'return')} waited for a webhook, which goes on now.`;
    await out.line(
      wasMoved
        ? `moved before: source ${source}.`
        : `moved: source ${source}, ${counted(snapshots, 'return')} and ${counted(events, 'event')}.${waiting}`,
    );
    const next = entries.has(source)
      ? `resume ${source}`
      : `add ${source} --base-url ${shellWord(state.baseUrl ?? 'URL')} --token-file FILE`;
    await out.line(`Now let the deployment poll it: returns-feed sources ${next}${feed.flags}`);
  }
}

/** The webhooks of all URLs that `watch` forwards to. @throws UsageError if one has none and is not left */
async function findWebhooks(feed: DeployedFeed, from: LocalStore, flags: Flags): Promise<MovedWebhook[]> {
  const urls = (await from.forwards.list()).filter(({ isDropped }) => isDropped !== true);
  const { webhook: given, leave } = flags;
  const open = urls.filter(
    ({ address }) => !leave.includes(address) && !given.some((each) => each.address === address),
  );
  if (open.length > 0)
    throw new UsageError(
      `"watch" forwarded to ${open.map(({ address }) => address).join(' and ')}: name the webhook that goes on ` +
        'with --webhook URL=ID, or leave the URL with --leave URL.',
    );
  return Promise.all(
    given.map(async ({ address, webhook }) => {
      const url = urls.find((each) => each.address === address);
      if (url === undefined)
        throw new UsageError(
          `"watch" did not forward to ${address}; it forwarded to ${urls.map((each) => each.address).join(', ') || 'no URL'}.`,
        );
      const record = await findWebhook(feed.deployment, webhook);
      const ring: MovedWebhook['queue']['ring'] = (...of) =>
        withRingQueue(record, (queue) => queue.ring(...of));
      return { url: url.id, webhook, queue: { ring } };
    }),
  );
}

/** The webhooks sign with the directory's secret, which their receivers have. */
async function takeSecrets(
  { deployment }: DeployedFeed,
  { data, webhook: given }: Flags,
  err: Printer,
): Promise<void> {
  if (given.length === 0) return;
  const secret = await readForwardSecret(data).catch(async (error: Error) => {
    await err.line(`${error.message} The webhooks sign with their own: give it to their receivers.`);
  });
  if (secret === undefined) return;
  for (const { webhook } of given) {
    const { signingSecret: SecretId } = await findWebhook(deployment, webhook);
    await withSecrets(async (client) => {
      if ((await readSigningSecret(client, SecretId).catch(() => undefined)) === secret) return;
      await client.putSecretValue({ SecretId, SecretString: secret });
    });
  }
}
