// `readers`: who may pull the feed.
import { randomBytes } from 'node:crypto';
import { Command, Option } from 'commander';
import { hashToken } from '../../functions/adapters/token-hash.ts';
import type { EventFilter } from '../../shared/contract/event-filter.ts';
import { MESSAGE_SHAPES, type MessageShape } from '../../shared/deployment/message-shape.ts';
import { READER_NAME, withToken } from '../../shared/pulling/reader.ts';
import { counted } from '../cli/counts.ts';
import { UsageError } from '../cli/failures.ts';
import { checkChangeFilter, parseFilter } from '../cli/forward-flags.ts';
import { alignColumns } from '../cli/layout.ts';
import { addMomentsOption, type MomentsFlags, momentsOf } from '../cli/moments.ts';
import { addPlaceOptions, describeStack } from '../cli/place-options.ts';
import { createPrinter } from '../cli/print.ts';
import type { Deployment } from '../operating/find-deployment.ts';
import type { PlaceFlags } from '../operating/open-feed.ts';
import { filterInWords } from '../operating/webhook-status.ts';
import { withFeed } from '../operating/with-feed.ts';

const ADD_HELP = `
A reader is a URL, /v1/readers/NAME of "watch --listen" or of the deployment's PullUrl, with its own
filter, shape and tokens (docs/pulling.md). Filter and shape never change: add another reader for other
ones. The command prints the token on stdout, once; the feed keeps only its hash.
Examples:
  returns-feed readers add wms --data state
  returns-feed readers add erp --data state --shape return
  returns-feed readers add shop --stack ReturnsFeed --filter '{"sources":["acme"]}'`;

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

async function add(
  name: string,
  { filter = {}, shape, ...place }: PlaceFlags & { readonly filter?: object; readonly shape?: MessageShape },
): Promise<void> {
  if (!READER_NAME.test(name))
    throw new UsageError(`"${name}" is no name of a reader: 1 to 30 of a-z, 0-9 and "-".`);
  const checked = readFilter(filter, shape);
  const token = newToken();
  await withFeed(place, async ({ readers, deployment }) => {
    const url = urlOf(name, deployment);
    if (!(await readers.add(name, { filter: checked, shape, tokens: [hashToken(token)] })))
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
    if (changed === undefined) throw noReader(name, await readers.list());
    await printToken(
      token,
      'rotated: this token and the one before are valid. The next rotation ends the latter.',
    );
  });
}

async function remove(name: string, place: PlaceFlags): Promise<void> {
  await withFeed(place, async ({ readers }) => {
    if (!(await readers.remove(name))) throw noReader(name, await readers.list());
    await createPrinter(process.stderr).line(`removed: ${name}`);
  });
}

async function list({
  json,
  utc,
  ...place
}: PlaceFlags & MomentsFlags & { readonly json: boolean }): Promise<void> {
  const moments = momentsOf({ utc });
  await withFeed(place, async ({ readers, positions }) => {
    const newest = await positions.newest();
    const names = await readers.list();
    const known = await Promise.all(
      names.map(async (name) => {
        const reader = await readers.load(name);
        const { filter = {}, shape = 'event', tokens = [], lastOffset, readAt } = reader ?? {};
        /** Of all events, whatever the filter. */
        const behind = lastOffset === undefined ? null : Math.max(0, newest - Number(lastOffset.slice(-16)));
        const at = readAt === undefined ? null : new Date(readAt / 1_000).toISOString();
        return { name, filter, shape, tokens: tokens.length, readAt: at, behind };
      }),
    );
    const out = createPrinter(process.stdout);
    if (json) return out.line(JSON.stringify({ readers: known }));
    if (known.length === 0) return out.line('No reader. "readers add NAME" adds one.');
    const rows = known.map(({ name, filter, shape, tokens, readAt, behind }) => [
      name,
      readAt === null ? 'never read' : `read ${moments.withAge(readAt)}`,
      behind === null ? '' : `${counted(behind, 'event')} behind`,
      counted(tokens, 'token'),
      filterInWords(filter, shape),
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
