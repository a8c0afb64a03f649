// A source and another store. The source's token is replaced by mistake with the token of the other store.
import { createInProcessService } from '../../../local/reference-service/in-process-service.ts';
import type { FeedEvent } from '../../../shared/contract/event.ts';
import type { SourceSession } from '../../../shared/source/source-session.ts';
import { BASE_URL, createSourceWorld, type SourceWorld, type SourceWorldOptions } from '../source-world.ts';

export const OTHER_TOKEN = 'the-token-of-another-store';
export const SECOND_TOKEN = 'another-token-of-the-same-store';

const hashOf = (text: string) => `hash of ${text}`;
/** The fingerprint of a source that was read with this token. */
export const seenWith = (token: string) => hashOf(`${BASE_URL} ${token}`);

export interface TwoStores {
  readonly world: SourceWorld;
  startProcess(owner: string): SourceSession;
}

/** @param otherGroups the number of groups of the other store; their ids are equal to those of the first */
export function createTwoStores(options: SourceWorldOptions = {}, otherGroups = 60): TwoStores {
  const world = createSourceWorld(options);
  const other = createInProcessService({
    groups: otherGroups,
    seed: 99,
    life: false,
    clock: { now: () => world.time.now(), advance: () => {} },
  });
  world.network.intercept = (request) => {
    if (request.token === OTHER_TOKEN) return other.service.answer({ ...request, token: other.token });
    if (request.token !== SECOND_TOKEN) return undefined;
    return world.reference.service.answer({ ...request, token: world.reference.token });
  };
  return {
    world,
    startProcess: (owner) => world.startProcess(owner, { hashToken: hashOf }),
  };
}

/** The feed's reports of its own health, without the baseline. */
export async function conditions(world: SourceWorld): Promise<readonly string[]> {
  const reports = (await world.feedEvents()).filter(({ type }) => type.startsWith('feed.source_'));
  return reports.map(describeCondition);
}

function describeCondition({ type, data }: FeedEvent): string {
  const reasons = 'reasons' in data.object ? data.object.reasons : [];
  return [type, ...reasons.map(({ code }) => code)].join(' ');
}
