// Asks the service for operators, in the poller or on one machine. Searches of a source run one at a time, within the
// share of its budget that ticks leave. They save no state of the source.
import { askForGroup, type PresentAnswer } from '../../shared/finding/ask-for-group.ts';
import { ASKING_MS, type Asking, beginAsking, NotAskedError } from '../../shared/finding/asking.ts';
import { type FoundGroups, findGroups, type TextFilter } from '../../shared/finding/find-groups.ts';
import { takeSearchTurn } from '../../shared/finding/search-turn.ts';
import { MILLISECOND } from '../../shared/instant.ts';
import type { Bucket } from '../../shared/pacing/bucket.ts';
import type { Searches, SourceStates } from '../../shared/ports.ts';
import { createSourceRequests, hashOfAccess } from '../../shared/source/source-requests.ts';
import { budgetsOf } from '../../shared/source/source-session.ts';
import { hashToken } from '../adapters/token-hash.ts';
import { type ConfiguredSource, clientsOf, type SourceAccess } from './source-sessions.ts';

/** Every method throws NotAskedError with the reason, or what requests throw. */
export interface Finder {
  /** The groups that have a tracking number or an order name. */
  find(source: string, filter: TextFilter): Promise<FoundGroups>;
  /** A group as the service shows it now. */
  ask(source: string, returnGroupId: number): Promise<AnswerWithSettle>;
}

export type AnswerWithSettle = PresentAnswer & {
  /** How long the source's reads may be stale. */
  readonly settleMs: number;
};

export interface FinderOptions extends SourceAccess {
  readonly states: Pick<SourceStates, 'load'>;
  readonly searches: Searches;
}

export function createFinder(options: FinderOptions): Finder {
  const { clock, signal, states, searches } = options;

  async function search<Answer>(
    name: string,
    ask: (asking: Asking, source: ConfiguredSource) => Promise<Answer>,
  ): Promise<Answer> {
    const source = await options.findSource(name);
    if (source === undefined) throw new NotAskedError(`There is no source "${name}".`);
    const state = await states.load(name);
    const requestsPerMinute = budgetsOf(source.settings).searches;
    const turn = await takeSearchTurn({ searches, clock, source: name, requestsPerMinute });
    try {
      const requests = openRequests(options, source, turn.bucket, state?.seenWith);
      requests.pauseUntil(state?.pausedUntil ?? 0);
      return await ask(beginAsking({ source: name, state, requests, now: clock.now(), signal }), source);
    } finally {
      await turn.end();
    }
  }

  return {
    find: (name, filter) => search(name, (asking) => findGroups(asking, filter)),
    ask: (name, returnGroupId) =>
      search(name, async (asking, { settings: { settleMs } }) => ({
        ...(await askForGroup(asking, returnGroupId)),
        settleMs,
      })),
  };
}

/** @param seenWith the hash of the address and the token that polls trust: no other token is sent */
function openRequests(
  options: SourceAccess,
  source: ConfiguredSource,
  bucket: Bucket,
  seenWith: string | undefined,
) {
  const { settings, secret } = source;
  const { clock, log, transport, signal } = options;
  const clients = clientsOf(source, transport);
  const deadline = clock.elapsed() + ASKING_MS * MILLISECOND;
  return createSourceRequests({
    ...{ settings, secret, clock, log, hashToken, signal, bucket },
    requestsPerMinute: settings.requestsPerMinute,
    random: Math.random,
    client(token) {
      if (hashOfAccess(hashToken, settings.baseUrl, token) !== seenWith) throw unproved(settings.name);
      return clients(token);
    },
    deadline: () => deadline,
  });
}

function unproved(source: string): NotAskedError {
  return new NotAskedError(
    `The token is not the one that source ${source} was last polled with at its address, so it was not sent there. ` +
      'Use the same token; after a change, try again after the next poll.',
  );
}
