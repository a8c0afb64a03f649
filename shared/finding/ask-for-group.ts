// Asks the service for one return group as it is now, reduced to what a snapshot keeps of it.
import { projectGroup } from '../comparing/project-group.ts';
import type { ShownProjection } from '../comparing/snapshot.ts';
import type { Instant } from '../instant.ts';
import { ownRowsOf } from '../returns-service/own-rows.ts';
import type { Asking } from './asking.ts';

interface AskedAt {
  /** The answer's time, by the local clock. */
  readonly sentAt: Instant;
  readonly receivedAt: Instant;
}

export interface ShownGroup extends AskedAt {
  readonly kind: 'shown';
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** The allowlist, as in snapshots. It never holds customer data, whatever the settings say. */
  readonly projection: ShownProjection;
}

export interface AbsentGroup extends AskedAt {
  readonly kind: 'absent';
}

export interface UnreadableGroup extends AskedAt {
  readonly kind: 'unreadable';
  /** The problem, without any value of the row. */
  readonly reason: string;
}

export type PresentAnswer = ShownGroup | AbsentGroup | UnreadableGroup;

/**
 * Returns the group as the service shows it now.
 *
 * @throws NotAskedError, and what requests throw
 */
export async function askForGroup({ requests, signal }: Asking, groupId: number): Promise<PresentAnswer> {
  const query = { returnGroupId: groupId };
  const sent = await requests.send({ lane: 'look-ups' }, (client) =>
    client.listReturnGroups(query, { signal, skipsCaches: true }),
  );
  const { sentAt, receivedAt } = sent;
  const row = ownRowsOf(groupId, sent.answer.rows).at(-1);
  if (row === undefined) return { kind: 'absent', sentAt, receivedAt };
  if (row.kind === 'unreadable') return { kind: 'unreadable', reason: row.reason, sentAt, receivedAt };
  const { createdAt, updatedAt, group } = row;
  return { kind: 'shown', createdAt, updatedAt, projection: projectGroup(group), sentAt, receivedAt };
}
