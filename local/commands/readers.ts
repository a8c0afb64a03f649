// `readers`: who may pull the feed.
import { randomBytes } from 'node:crypto';
import { Command, Option } from 'commander';
import { hashToken } from '../../functions/adapters/token-hash.ts';
import type { EventFilter } from '../../shared/contract/event-filter.ts';
import { MESSAGE_SHAPES, type MessageShape } from '../../shared/deployment/message-shape.ts';
import { MILLISECOND } from '../../shared/instant.ts';
import { READER_NAME, withToken } from '../../shared/pulling/reader.ts';
import { counted } from '../cli/counts.ts';
import { formatDuration, parseDuration } from '../cli/durations.ts';
import { UsageError } from '../cli/failures.ts';
import { checkChangeFilter, parseFilter } from '../cli/forward-flags.ts';
import { alignColumns } from '../cli/layout.ts';
import { addMomentsOption, type MomentsFlags, momentsOf } from '../cli/moments.ts';
import { addPlaceOptions, describeStack } from '../cli/place-options.ts';
import { createPrinter } from '../cli/print.ts';
import type { Deployment } from '../place/find-deployment.ts';
import type { PlaceFlags } from '../place/open-feed.ts';
import { withFeed } from '../place/with-feed.ts';
import { ofReader } from '../status/destination-status.ts';
import { detailsOf, filterInWords } from '../status/format-status.ts';
import { loadReaders } from '../status/load-overview.ts';

/** A reader's offset is noted once a minute. */
const LEAST_ALARM_MS = 300_000;

const ADD_HELP = `
A reader is a URL, /v1/readers/NAME of "watch --listen" or of the deployment's PullUrl, with its own
filter, shape and tokens (docs/pulling.md). Filter and shape never change: add another reader for other
ones. The command prints the token on stdout, once; the feed keeps only its hash.
With --alarm-after, status, /health and an alarm name a reader that has not read an event for this time.
An event counts as read when the reader asks from an offset behind it, so give more than twice the time
between its requests, and at least ${formatDuration(LEAST_ALARM_MS)}. Without it a reader may read whenever it likes.
Examples:
  returns-feed readers add wms --data state
  returns-feed readers add erp --data state --shape return
  returns-feed readers add shop --stack ReturnsFeed --filter '{"sources":["acme"]}' --alarm-after 1h`;

const HELP = `
Examples:
  returns-feed readers add wms --data state
  returns-feed readers list --stack ReturnsFeed`;

const exampleOf = (words: string) => `\nExample:\n  returns-feed readers ${words} --data state`;

export function createReadersCommand(): Command {
  return new Command('readers')
    .description('Manage who may pull the feed.')
    .addCommand(
      atPlace('add', 'Add a reader, and print its token.')
        .argument('<name>', 'name of the reader: a-z, 0-9 and "-"')
        .option('--filter <json>', 'which events it shows, as webhooks have it', parseFilter)
        .option('--alarm-after <time>', 'name it as a concern when an event waits this long', parseDuration)
        .addOption(
          new Option(
            '--shape <shape>',
            'show each event, or the whole return as it is then (default: event)',
          ).choices(MESSAGE_SHAPES),
        )
        .addHelpText('after', ADD_HELP)
        .action(add),
    )
    .addCommand(
      addMomentsOption(atPlace('list', 'List the readers, and how far each has read.'))
        .option('--json', 'print one JSON object', false)
        .addHelpText('after', exampleOf('list'))
        .action(list),
    )
    .addCommand(
      atPlace('rotate', 'Print a new token of a reader. The one before stays valid until the next rotation.')
        .argument('<name>', 'name of the reader')
        .addHelpText('after', exampleOf('rotate wms'))
        .action(rotate),
    )
    .addCommand(
      atPlace('remove', 'Remove a reader: its tokens are refused at once.')
        .argument('<name>', 'name of the reader')
        .addHelpText('after', exampleOf('remove wms'))
        .action(remove),
    )
    .addHelpText('after', HELP);
}

const STACK = describeStack(' and PULL_URL');

function atPlace(name: string, description: string): Command {
  return addPlaceOptions(new Command(name).description(description), STACK);
}

const TOKEN_BYTES = 32;

interface AddFlags extends PlaceFlags {
  readonly filter?: object;
  readonly shape?: MessageShape;
  readonly alarmAfter?: number;
}

async function add(
  name: string,
  { filter = {}, shape, alarmAfter: alarmAfterMs, ...place }: AddFlags,
): Promise<void> {
  if (!READER_NAME.test(name))
    throw new UsageError(`"${name}" is no name of a reader: 1 to 30 of a-z, 0-9 and "-".`);
  if (alarmAfterMs !== undefined && alarmAfterMs < LEAST_ALARM_MS)
    throw new UsageError(`--alarm-after must be at least ${formatDuration(LEAST_ALARM_MS)}.`);
  const checked = readFilter(filter, shape);
  const token = newToken();
  await withFeed(place, async ({ readers, deployment }) => {
    const url = urlOf(name, deployment);
    if (!(await readers.add(name, { filter: checked, shape, tokens: [hashToken(token)], alarmAfterMs })))
      throw new UsageError(`There is a reader "${name}". For a new token: readers rotate ${name}.`);
    await printToken(token, `added: ${url}. Give its client this token.`);
  });
}

/** @throws UsageError for a deployment without a pull feed */
function urlOf(name: string, deployment: Deployment | undefined): string {
  const path = `/v1/readers/${name}`;
  if (deployment === undefined) return `${path} of "watch --listen"`;
  const { pullUrl } = deployment;
  if (pullUrl !== undefined) return `${pullUrl.replace(/\/$/, '')}${path}`;
  throw new UsageError(
    "The deployment has no pull feed: deploy it with the property `pull`. Its URL is the stack's output PullUrl or the " +
      'variable PULL_URL.',
  );
}

function readFilter(filter: object, shape: MessageShape | undefined): EventFilter {
  try {
    return checkChangeFilter(filter, shape);
  } catch (error) {
    throw new UsageError(`--filter: ${(error as Error).message}`, { cause: error });
  }
}

async function rotate(name: string, place: PlaceFlags): Promise<void> {
  const token = newToken();
  await withFeed(place, async ({ readers }) => {
    const changed = await readers.change(name, (reader) => withToken(reader, hashToken(token)));
    if (changed === undefined) throw noReader(name, [...(await readers.list()).keys()]);
    await printToken(
      token,
      'rotated: this token and the one before are valid. The next rotation ends the latter.',
    );
  });
}

async function remove(name: string, place: PlaceFlags): Promise<void> {
  await withFeed(place, async ({ readers }) => {
    if (!(await readers.remove(name))) throw noReader(name, [...(await readers.list()).keys()]);
    await createPrinter(process.stderr).line(`removed: ${name}`);
  });
}

async function list({
  json,
  utc,
  ...place
}: PlaceFlags & MomentsFlags & { readonly json: boolean }): Promise<void> {
  const moments = momentsOf({ utc });
  await withFeed(place, async (feed) => {
    const known = (await loadReaders(feed, (_, load) => load())).map((each) => {
      const { tokens, alarmAfterMs = null } = each.reader;
      return { ...ofReader(each, Date.now() * MILLISECOND), tokens: tokens.length, alarmAfterMs };
    });
    const out = createPrinter(process.stdout);
    if (json) return out.line(JSON.stringify({ readers: known }));
    if (known.length === 0) return out.line('No reader. "readers add NAME" adds one.');
    const rows = known.map(({ tokens, alarmAfterMs, ...status }) => [
      status.destination,
      status.state,
      detailsOf(status, moments).join('; '),
      counted(tokens, 'token'),
      alarmAfterMs === null ? 'no alarm' : `alarm after ${formatDuration(alarmAfterMs)}`,
      filterInWords(status),
    ]);
    for (const row of alignColumns(rows)) await out.line(row);
  });
}

function newToken(): string {
  return `rcf_${randomBytes(TOKEN_BYTES).toString('base64url')}`;
}

async function printToken(token: string, text: string): Promise<void> {
  await createPrinter(process.stdout).line(token);
  await createPrinter(process.stderr).line(text);
}

function noReader(name: string, names: readonly string[]): UsageError {
  const known = names.length === 0 ? 'There is none' : `There is ${names.join(', ')}`;
  return new UsageError(`There is no reader "${name}". ${known}.`);
}
