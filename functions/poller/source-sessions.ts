// What a warm process keeps of each source: one session, begun anew when the source is configured in another way.
import type { SourceSession } from '../../shared/source/source-session.ts';
import type { SourceSettings } from '../../shared/source/source-settings.ts';

/** A source's settings, and how its token is read. */
export interface ConfiguredSource {
  readonly settings: SourceSettings;
  readonly secret: {
    /** Names where the token is kept, never the token: a session knows its token until the service refuses it. */
    readonly place: string;
    read(): Promise<string>;
  };
}

/** Finds the session that fits the source as it is configured now, or opens one. */
export function createSourceSessions(
  open: (source: ConfiguredSource) => SourceSession,
): (source: ConfiguredSource) => SourceSession {
  const sessions = new Map<string, { readonly configuredAs: string; readonly session: SourceSession }>();
  return function sessionOf(source) {
    const { settings, secret } = source;
    const configuredAs = JSON.stringify([settings, secret.place]);
    const known = sessions.get(settings.name);
    if (known?.configuredAs === configuredAs) return known.session;
    const session = open(source);
    sessions.set(settings.name, { configuredAs, session });
    return session;
  };
}
