// The options that forward events to URLs, for the commands that watch.
import { type Command, InvalidArgumentError } from 'commander';
import { parseSigningSecret } from '../../functions/adapters/webhook-signature.ts';
import { checkFilter, SOURCE_READ } from '../../shared/contract/event-filter.ts';
import { parseWebhookUrl } from '../../shared/deployment/webhook-url.ts';
import { UsageError } from './failures.ts';

export interface ForwardFlags {
  readonly forwardTo?: readonly URL[];
  readonly forwardSecret?: string;
  readonly forwardOnly?: readonly string[];
}

export type ForwardOptions = ReturnType<typeof forwardOptionsOf>;

export function addForwardOptions(command: Command): Command {
  return command
    .option(
      '--forward-to <url>',
      'post each event to this URL, signed, in order per return; repeatable',
      collectUrl,
    )
    .option('--forward-secret <secret>', 'signing secret (whsec_…) of the posts', parseForwardSecret)
    .option('--forward-only <types>', 'types of the events to post, separated by commas', parseTypes);
}

/** @throws UsageError for options that need --forward-to, and for unknown types */
export function forwardOptionsOf({ forwardTo, forwardSecret, forwardOnly }: ForwardFlags) {
  if (forwardTo === undefined && (forwardSecret !== undefined || forwardOnly !== undefined))
    throw new UsageError('--forward-secret and --forward-only need --forward-to URL.');
  try {
    const filter = checkFilter(forwardOnly === undefined ? {} : { types: forwardOnly });
    if (filter.types?.includes(SOURCE_READ)) throw new Error(`${SOURCE_READ} is not posted to URLs.`);
    return { urls: forwardTo ?? [], secret: forwardSecret, filter };
  } catch (error) {
    throw new UsageError(`--forward-only: ${(error as Error).message}`, { cause: error });
  }
}

export function parseForwardUrl(text: string): URL {
  return invalidIfThrown(() => parseWebhookUrl(text, 'any'));
}

function collectUrl(text: string, others: readonly URL[] = []): URL[] {
  const url = parseForwardUrl(text);
  if (others.some(({ href }) => href === url.href)) throw new InvalidArgumentError('The URL is given twice.');
  return [...others, url];
}

export function parseForwardSecret(text: string): string {
  invalidIfThrown(() => parseSigningSecret(text));
  return text;
}

function parseTypes(text: string): string[] {
  return text.split(',').map((type) => type.trim());
}

function invalidIfThrown<Value>(parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
