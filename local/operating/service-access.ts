// How commands ask the service: on one machine with the token of the environment, of a deployment through its poller,
// so that no operator needs a token.
import { createHttpsTransport } from '../../functions/adapters/https-transport.ts';
import { createFinder, type Finder } from '../../functions/poller/create-finder.ts';
import { sourceSettings } from '../../shared/source/source-settings.ts';
import { UsageError } from '../cli/failures.ts';
import { readBaseUrl, readToken, tokenInEnvironment } from '../cli/service-options.ts';
import { createPollerFinder } from './ask-poller.ts';
import type { OpenFeed } from './open-feed.ts';

export interface AccessOptions {
  /** The service's address on one machine. @default the one of the last poll */
  readonly baseUrl?: string | undefined;
  /** Holds the token on one machine. @default process.env */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Ends all waiting when aborted. */
  readonly signal?: AbortSignal | undefined;
}

export interface ServiceAccess extends Finder {
  close(): void;
}

export function openServiceAccess(feed: OpenFeed, options: AccessOptions = {}): ServiceAccess {
  const { close, ...finder } = feed.isLocal
    ? openLocalAccess(feed, options)
    : { ...createPollerFinder(feed.deployment), close() {} };
  return { ...oneByOne(finder), close };
}

/** Searches of a source run one at a time: those of one command wait for each other. */
function oneByOne(finder: Finder): Finder {
  const last = new Map<string, Promise<unknown>>();
  function after<Answer>(source: string, ask: () => Promise<Answer>): Promise<Answer> {
    const answer = (last.get(source) ?? Promise.resolve()).then(ask);
    last.set(
      source,
      answer.catch(() => {}),
    );
    return answer;
  }
  return {
    find: (source, filter) => after(source, () => finder.find(source, filter)),
    ask: (source, group) => after(source, () => finder.ask(source, group)),
  };
}

function openLocalAccess(
  { client, deployment, clock, log, states }: OpenFeed,
  { baseUrl, environment = process.env, signal }: AccessOptions,
): ServiceAccess {
  const transport = createHttpsTransport();
  const finder = createFinder({
    client,
    tables: deployment,
    clock,
    log,
    transport,
    signal,
    async findSource(name) {
      const state = await states.load(name);
      const address = baseUrl === undefined ? state?.baseUrl : readBaseUrl(baseUrl);
      if (address === undefined)
        throw new UsageError(`The address of source ${name} is not stored yet: give --base-url.`);
      const settings = sourceSettings.parse({ ...state?.pace, name, baseUrl: address });
      const token = readToken(environment);
      return { settings, secret: tokenInEnvironment(token) };
    },
  });
  return { ...finder, close: () => transport.close() };
}
