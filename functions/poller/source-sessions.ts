// The sessions of a warm process: one per source, replaced when the source's configuration changes.
import type { SourceSecret } from '../../shared/pacing/access.ts';
import type { Clock, Log } from '../../shared/ports.ts';
import { createReturnsServiceClient } from '../../shared/returns-service/client.ts';
import type { HttpTransport } from '../../shared/returns-service/http-transport.ts';
import type { SourceSettings } from '../../shared/source/source-settings.ts';

/** What it takes to send requests to the sources' services, for ticks and for operators. */
export interface SourceAccess {
  readonly clock: Clock;
  readonly log: Log;
  readonly transport: HttpTransport;
  /**
   * Called for each tick and question, so that changed settings take effect; caching is left to the callee. Returns
   * undefined if the source does not exist.
   *
   * @param version of its entry, if that is known: one that is cached may be used
   */
  readonly findSource: (name: string, version?: number) => Promise<ConfiguredSource | undefined>;
  readonly signal?: AbortSignal | undefined;
}

/** A source's settings, and access to its token. */
export interface ConfiguredSource {
  readonly settings: SourceSettings;
  /** Operators have stopped its polls; they may still ask its service. */
  readonly isPaused?: boolean;
  readonly secret: SourceSecret & {
    /** Names the place of the token, never the token itself: a session keeps its token until the service refuses it. */
    readonly place: string;
  };
}

/** A shard has other sources each minute: those of the last few minutes are kept. */
const MOST_SESSIONS = 1_000;

/**
 * Returns the session for the source's current configuration, or opens one.
 *
 * @param open gets a function that counts the sessions which share the process's memory
 */
export function createSourceSessions<Session>(
  open: (source: ConfiguredSource, count: () => number) => Session,
): (source: ConfiguredSource) => Session {
  const sessions = new Map<string, { readonly configuredAs: string; readonly session: Session }>();
  return function sessionOf(source) {
    const { settings, secret } = source;
    const configuredAs = JSON.stringify([settings, secret.place]);
    const known = sessions.get(settings.name);
    const session = known?.configuredAs === configuredAs ? known.session : open(source, () => sessions.size);
    // A map keeps the order of insertion: the one that was used longest ago is first.
    sessions.delete(settings.name);
    sessions.set(settings.name, { configuredAs, session });
    const [oldest] = sessions.keys();
    if (sessions.size > MOST_SESSIONS && oldest !== undefined) sessions.delete(oldest);
    return session;
  };
}

/** Makes clients of a source's service. */
export function clientsOf({ settings }: ConfiguredSource, transport: HttpTransport) {
  const { baseUrl, requestTimeoutMs: timeoutMs, include } = settings;
  return (token: string) => createReturnsServiceClient({ baseUrl, token, transport, timeoutMs, include });
}
