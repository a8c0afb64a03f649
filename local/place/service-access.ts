// How commands ask the service: on one machine with the token of the environment, of a deployment through its poller,
// so that no operator needs a token.
import { createHttpsTransport } from '../../functions/adapters/https-transport.ts';
import { createFinder, type Finder, type FinderOptions } from '../../functions/poller/create-finder.ts';
import type { ConfiguredSource } from '../../functions/poller/source-sessions.ts';
import { sourceSettings } from '../../shared/source/source-settings.ts';
import { readToken, tokenInEnvironment } from '../cli/service-options.ts';

export interface AccessOptions {
  /** Holds the token on one machine. @default process.env */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Knows the token of a source, before the environment. */
  readonly secretOf?: ((source: string) => ConfiguredSource['secret'] | undefined) | undefined;
  /** Ends all waiting when aborted. */
  readonly signal?: AbortSignal | undefined;
}

export interface ServiceAccess extends Finder {
  close(): void;
}

/** Searches of a source run one at a time: those of one command wait for each other. */
export function oneByOne(access: ServiceAccess): ServiceAccess {
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
    find: (source, filter) => after(source, () => access.find(source, filter)),
    ask: (source, group) => after(source, () => access.ask(source, group)),
    close: () => access.close(),
  };
}

/** Asks from this machine. */
export function openAccessFromHere(
  stores: Pick<FinderOptions, 'states' | 'searches' | 'clock' | 'log'>,
  { environment = process.env, secretOf, signal }: AccessOptions,
): ServiceAccess {
  const transport = createHttpsTransport();
  const finder = createFinder({
    ...stores,
    transport,
    signal,
    async findSource(name) {
      const state = await stores.states.load(name);
      if (state?.baseUrl === undefined) return undefined;
      const secret = secretOf?.(name) ?? tokenInEnvironment(readToken(environment));
      const settings = sourceSettings.parse({ ...state.pace, name, baseUrl: state.baseUrl });
      return { settings, secret };
    },
  });
  return oneByOne({ ...finder, close: () => transport.close() });
}
