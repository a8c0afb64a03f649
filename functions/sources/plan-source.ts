// What a source in AWS must keep to before its entry is written. Pure. Texts name settings by words, since commands, files
// and applications call them differently.
import { isDeepStrictEqual } from 'node:util';
import { isTokenFor, type NamedToken, tokenId, tokenNamesFor } from '../../shared/deployment/token-names.ts';
import { InvalidBaseUrlError, parseBaseUrl } from '../../shared/returns-service/base-url.ts';
import {
  DEFAULT_INTERVAL_MS,
  DEFAULT_REQUESTS_PER_MINUTE,
  FEWEST_REQUESTS_PER_MINUTE,
  type GivenSettings,
  isScheduledInterval,
  LONGEST_REQUEST_TIMEOUT_MS,
  MOST_REQUESTS_PER_MINUTE,
  problemOfBudgets,
  sourceSettings,
} from '../../shared/source/source-settings.ts';
import type { DirectoryEntry, InvalidEntry, TokenPlace } from '../adapters/dynamodb-source-directory.ts';
import { hashToken } from '../adapters/token-hash.ts';
import { InvalidSourceError, type SourceProblem, StackSourceError } from './source-errors.ts';

export type Entry = DirectoryEntry | InvalidEntry;

/** A source to write. A token that is a text is tried, and encrypted before it is written. */
export interface Planned {
  readonly settings: GivenSettings;
  readonly token: string | TokenPlace;
  /** The entry that it changes. @default the present one, if there is one */
  readonly entry?: Entry | undefined;
}

/** @throws StackSourceError */
export function checkOwner(entry: Entry | undefined): void {
  if (entry?.declaredBy === 'stack')
    throw new StackSourceError(`The stack declares the source "${entry.name}": change or remove it there.`);
}

/** The source with its address in its one form. @throws InvalidSourceError with all problems of its settings */
export function check(feedName: string, { settings, token, entry }: Planned): Planned {
  const parsed = sourceSettings.safeParse(settings);
  const unknown = Object.keys(settings).filter((name) => !(name in sourceSettings.shape));
  const problems = [
    ...unknown.map((name) => `A source has no setting "${name}".`),
    // Zod's own messages name no setting.
    ...(parsed.error?.issues ?? []).map(({ path: [name = ''], message }) =>
      /^The |^A /.test(message) ? message : `${String(name)}: ${message}.`,
    ),
    ...(parsed.success ? brokenRules(settings) : []),
  ];
  if (problems.length > 0) throw new InvalidSourceError(problems.join(' '));
  const baseUrl = checkBaseUrl(settings.baseUrl);
  if (typeof token === 'string') {
    if (token.trim() === '') throw new InvalidSourceError(`The token of source "${settings.name}" is empty.`);
  } else if (!('encrypted' in token)) checkTokenName(feedName, baseUrl, token);
  return {
    settings: { ...settings, baseUrl },
    token: typeof token === 'string' ? token.trim() : token,
    entry,
  };
}

function brokenRules({
  intervalMs = DEFAULT_INTERVAL_MS,
  reconcileMs = intervalMs,
  requestsPerMinute = DEFAULT_REQUESTS_PER_MINUTE,
  requestTimeoutMs = 0,
}: GivenSettings): string[] {
  const rules: readonly [boolean, string][] = [
    [
      isScheduledInterval(intervalMs / 1_000),
      'The time between polls must be seconds that divide a minute (2s, 3s … 30s), or whole minutes up to a day.',
    ],
    [
      reconcileMs >= intervalMs,
      'Walks (reconcile) must not be more frequent than polls: they begin in ticks.',
    ],
    [
      requestsPerMinute >= FEWEST_REQUESTS_PER_MINUTE && requestsPerMinute <= MOST_REQUESTS_PER_MINUTE,
      `The budget must be from ${FEWEST_REQUESTS_PER_MINUTE} to ${MOST_REQUESTS_PER_MINUTE}, the service's limit.`,
    ],
    [
      requestTimeoutMs <= LONGEST_REQUEST_TIMEOUT_MS,
      `The timeout must be at most ${LONGEST_REQUEST_TIMEOUT_MS / 1_000}s, to fit into a tick.`,
    ],
  ];
  return rules.flatMap(([isKept, problem]) => (isKept ? [] : [problem]));
}

function checkBaseUrl(text: string): string {
  try {
    return parseBaseUrl(text);
  } catch (error) {
    if (!(error instanceof InvalidBaseUrlError)) throw error;
    throw new InvalidSourceError(error.message, { cause: error });
  }
}

/** The poller sends a named token only to the host in its name. */
function checkTokenName(feedName: string, baseUrl: string, token: NamedToken): void {
  const names = tokenNamesFor(feedName, baseUrl);
  if (isTokenFor(names, token)) return;
  const [given, prefix] =
    'secretId' in token ? [token.secretId, names.ofSecrets] : [token.parameter, names.ofParameters];
  throw new InvalidSourceError(
    `The poller does not send ${given} to ${baseUrl}: the token's name must begin with ${prefix}, for instance ` +
      `${prefix}acme.`,
  );
}

/** The entry with some changes. @throws InvalidSourceError if its token can't be sent to the new address */
export function changed(
  entry: Entry,
  { token, ...changes }: { readonly token?: string | TokenPlace | undefined },
): Planned {
  if ('problem' in entry)
    throw new InvalidSourceError(
      `The entry of source "${entry.name}" can't be used, so add it again: ${entry.problem}`,
    );
  const { settings: before, token: place } = entry.given;
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const settings: GivenSettings = { ...before, ...Object.fromEntries(given) };
  if (token === undefined && 'encrypted' in place && originOf(settings) !== originOf(before))
    throw new InvalidSourceError(
      `The token of source "${entry.name}" is encrypted for ${originOf(before)}: another address needs it again.`,
    );
  return { settings, token: token ?? place, entry };
}

/** What is wrong although each source by itself is right: names that are given twice, and budgets of one token. */
export function problemsBetween(planned: readonly Planned[], entries: readonly Entry[]): SourceProblem[] {
  const names = planned.map(({ settings }) => settings.name);
  const twice = names.flatMap((name, index) =>
    names.indexOf(name) < index ? [{ index, message: `Source "${name}" is given twice.` }] : [],
  );
  const present = entries.flatMap((entry) =>
    'problem' in entry || names.includes(entry.name)
      ? []
      : [{ settings: entry.settings, token: entry.token }],
  );
  const sharing = Map.groupBy<string, Omit<Planned, 'entry'>>([...planned, ...present], tokenOf);
  const budgets = [...sharing.values()].flatMap((sources) => {
    const message = problemOfBudgets(sources.map(({ settings }) => settings));
    if (message === undefined) return [];
    const index = planned.findIndex((source) => sources.includes(source));
    return index === -1 ? [] : [{ index, message }];
  });
  return [...twice, ...budgets].map(({ index, message }) => ({
    index,
    error: new InvalidSourceError(message),
  }));
}

/** The same for sources with one token. */
function tokenOf({ settings, token }: Pick<Planned, 'settings' | 'token'>): string {
  if (typeof token === 'string') return hashOf(settings, token);
  return 'encrypted' in token ? (token.hash ?? token.encrypted) : tokenId(token);
}

/** Whether the entry says the same already. */
export function isUnchanged({ settings, token }: Planned, entry: Entry | undefined): boolean {
  if (entry === undefined || 'problem' in entry) return false;
  const { given } = entry;
  return (
    isDeepStrictEqual(JSON.parse(JSON.stringify(settings)), given.settings) &&
    (typeof token === 'string'
      ? 'encrypted' in given.token && given.token.hash === hashOf(settings, token)
      : isDeepStrictEqual(token, given.token))
  );
}

/** By which a token is known again: one-way, and another one at each address. */
export function hashOf(settings: Pick<GivenSettings, 'baseUrl'>, token: string): string {
  return hashToken(`${originOf(settings)} ${token}`);
}

function originOf({ baseUrl }: Pick<GivenSettings, 'baseUrl'>): string {
  return new URL(baseUrl).origin;
}
