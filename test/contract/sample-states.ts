// A source's state as it looks soon after the start.
import { HOUR, SECOND } from '../../shared/instant.ts';
import type { SourceState } from '../../shared/source-state.ts';

const NOW = 1_763_633_703_000_000;

export function aState(source: string, version = 1, changes: Partial<SourceState> = {}): SourceState {
  return {
    source,
    version,
    generation: 'mi8x2k',
    mintedIn: 'Zk3vT0aQ4yB7sX9cE1dF2g',
    startedAt: NOW - HOUR,
    settledThrough: NOW - 300 * SECOND,
    lastSlot: 29_393_895,
    lease: { owner: 'b3f0c2d4', epoch: 12, expiresAt: NOW + 90 * SECOND },
    stamps: {
      zoned: true,
      precision: 6,
      lead: 0,
      leads: [{ groupId: 184_467, lead: 1_204_000 }],
      newest: NOW - SECOND,
      newestReceivedAt: NOW,
    },
    baseline: {
      mode: 'silent',
      status: 'running',
      startedAt: NOW - HOUR,
      coveredThrough: undefined,
      rangeWidth: 24 * HOUR,
      groups: 1_200,
      requests: 7,
      estimatedGroups: 17,
    },
    reconciliation: {
      recent: {
        isUnderWay: true,
        startedAt: 1_700_000_000_000_000,
        coveredThrough: undefined,
        rangeWidth: 30,
        pausedUntil: 0,
        requests: 4,
        removals: 1,
        lastRequests: undefined,
        lastCompletedAt: undefined,
      },
      all: {
        isUnderWay: true,
        startedAt: 1_700_000_000_000_000,
        coveredThrough: undefined,
        rangeWidth: 30,
        pausedUntil: 0,
        requests: 4,
        removals: 1,
        lastRequests: undefined,
        lastCompletedAt: undefined,
      },
    },
    feedSequence: 3,
    health: {
      lastSettledAt: NOW,
      degradedSince: undefined,
      reasons: [{ code: 'set_aside', message: 'A group could not be read.' }],
      restUntil: 0,
      refusals: 0,
    },
    driftTold: ['shipment.status: LOST'],
    pageLimit: 200,
    fullPageSeen: true,
    pollWidth: 24 * HOUR,
    fieldsSince: { 'shipment.carrier': NOW - HOUR },
    setAside: [{ groupId: undefined, reason: 'it has no id', digest: 'k3j4', since: NOW, seenAt: NOW }],
    ...changes,
  };
}
