// The options that forward events to URLs. A secret comes from a file or the environment: an argument's value shows in
// the list of processes.
import { closeSync, openSync, readSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseSigningSecret } from '../../functions/adapters/webhook-signature.ts';
import { checkFilter, type EventFilter, SOURCE_READ } from '../../shared/contract/event-filter.ts';
import {
  CONTENT_TYPES,
  type ContentType,
  DEFAULT_CONTENT_TYPE,
} from '../../shared/deployment/content-type.ts';
import { MESSAGE_SHAPES, type MessageShape } from '../../shared/deployment/message-shape.ts';
import { parseWebhookUrl } from '../../shared/deployment/webhook-url.ts';
import type { Receiver } from '../feed/watch-plan.ts';
import { messageOf, UsageError } from './failures.ts';

export interface ForwardFlags {
  readonly forwardTo?: readonly URL[];
  /** The file with the signing secret. */
  readonly forwardSecret?: string;
  readonly forwardOnly?: readonly string[];
  readonly forwardFilter?: object;
  readonly forwardContentType?: ContentType;
  readonly forwardShape?: MessageShape;
}

export const SECRET_VARIABLE = 'RETURNS_FORWARD_SECRET';
/** A secret has about a hundred. */
const LONGEST_SECRET_BYTES = 4_096;

export const SECRET_HELP = `file with the signing secret (whsec_…) of the posts; or set ${SECRET_VARIABLE}`;

export function addForwardOptions(command: Command): Command {
  return command
    .option(
      '--forward-to <url>',
      'post each event to this URL, signed, in order per return; repeatable',
      collectUrl,
    )
    .option('--forward-secret <file>', SECRET_HELP)
    .option('--forward-only <types>', 'types of the events to post, separated by commas', parseTypes)
    .option(
      '--forward-filter <json>',
      'filter of the events to post, as webhooks have: {"to":["DELIVERED"],"changed":["tracking_number"]}',
      parseFilter,
    )
    .addOption(contentTypeOption())
    .addOption(
      new Option(
        '--forward-shape <shape>',
        'post each event, or the whole return as it is then (default: event)',
      ).choices(MESSAGE_SHAPES),
    );
}

export function contentTypeOption(): Option {
  const description = `media type of the posts (default: ${DEFAULT_CONTENT_TYPE})`;
  return new Option('--forward-content-type <type>', description).choices(CONTENT_TYPES);
}

/** @throws UsageError for options that need --forward-to, and for unknown types */
export function receiversOf(flags: ForwardFlags): Receiver[] {
  const { forwardTo, forwardSecret, forwardOnly, forwardFilter, forwardContentType, forwardShape } = flags;
  const others = [forwardSecret, forwardOnly, forwardFilter, forwardContentType, forwardShape];
  if (forwardTo === undefined && others.some((option) => option !== undefined))
    throw new UsageError(
      '--forward-secret, --forward-only, --forward-filter, --forward-content-type and --forward-shape need --forward-to URL.',
    );
  const secret = forwardTo && readSecret(forwardSecret);
  try {
    const filter = checkChangeFilter(
      { ...(forwardOnly && { types: forwardOnly }), ...forwardFilter },
      forwardShape,
    );
    return (forwardTo ?? []).map((url) => ({
      ...{ url, secret, filter, contentType: forwardContentType, shape: forwardShape },
    }));
  } catch (error) {
    const option = forwardFilter === undefined ? '--forward-only' : '--forward-filter';
    throw new UsageError(`${option}: ${(error as Error).message}`, { cause: error });
  }
}

/** Checks a filter of changes: neither URLs nor readers get an event of the feed itself. @throws Error */
export function checkChangeFilter(filter: object, shape?: MessageShape): EventFilter {
  const checked = checkFilter(filter, shape);
  if (checked.types?.includes(SOURCE_READ)) throw new Error(`${SOURCE_READ} is only for queues and the bus.`);
  return checked;
}

/** As {@link parseUrl}. */
export function parseForwardUrl(text: string): URL {
  return parseUrl(text, '--forward-to');
}

/**
 * @param place the option or argument
 * @throws UsageError, not InvalidArgumentError: commander would print the URL, which may hold a password
 */
export function parseUrl(text: string, place: string): URL {
  if (text.includes('…'))
    throw new UsageError(`${place}: … stands for a part that may be secret. Give the whole URL.`);
  try {
    return parseWebhookUrl(text, 'any');
  } catch (error) {
    throw new UsageError(`${place}: ${messageOf(error)}`, { cause: error });
  }
}

function collectUrl(text: string, others: readonly URL[] = []): URL[] {
  const url = parseForwardUrl(text);
  if (others.some(({ href }) => href === url.href))
    throw new UsageError('--forward-to: a URL is given twice.');
  return [...others, url];
}

/**
 * @param file undefined for the secret of the environment
 * @param option the one that names the file
 * @returns undefined if there is none either
 * @throws UsageError if there is no signing secret
 */
export function readSecret(file: string | undefined, option = '--forward-secret'): string | undefined {
  if (file?.startsWith('whsec_'))
    throw new UsageError(
      `${option} takes a file: an argument shows in the list of processes. Or set ${SECRET_VARIABLE}.`,
    );
  const place = file === undefined ? SECRET_VARIABLE : option;
  try {
    const text = file === undefined ? process.env[SECRET_VARIABLE] : readStart(file);
    return file === undefined && !text ? undefined : checkSecret((text ?? '').trim());
  } catch (error) {
    throw new UsageError(`${place}: ${(error as Error).message}`, { cause: error });
  }
}

/** At most the bytes of a longest secret and one more: a path such as /dev/zero has no end. */
function readStart(file: string): string {
  const bytes = Buffer.alloc(LONGEST_SECRET_BYTES + 1);
  const fd = openSync(file, 'r');
  try {
    let length = 0;
    for (let read = 1; read > 0; length += read) read = readSync(fd, bytes, { offset: length });
    if (length > LONGEST_SECRET_BYTES) throw new Error(`${file} is too long for a signing secret.`);
    return bytes.toString('utf8', 0, length);
  } finally {
    closeSync(fd);
  }
}

function checkSecret(secret: string): string {
  parseSigningSecret(secret);
  return secret;
}

function parseTypes(text: string): string[] {
  return text.split(',').map((type) => type.trim());
}

/** @returns the object, which {@link checkFilter} checks */
export function parseFilter(text: string): object {
  const filter: unknown = invalidIfThrown(() => JSON.parse(text));
  if (typeof filter === 'object' && filter !== null && !Array.isArray(filter)) return filter;
  throw new InvalidArgumentError('It must be a JSON object.');
}

function invalidIfThrown<Value>(parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
