// Collects what the feed stores about one return group. It sends no request to the service.
import { keyOf } from '../../shared/comparing/change-set.ts';
import { isForgotten } from '../../shared/comparing/forget-group.ts';
import { entitiesOf, type Snapshot } from '../../shared/comparing/snapshot.ts';
import type { DestinationLabels } from '../../shared/deployment/destinations.ts';
import { describeHold } from '../../shared/guarding/describe-hold.ts';
import { formatInstant } from '../../shared/instant.ts';
import type { GroupKey, Ledger, LedgerEntry, SnapshotStore } from '../../shared/ports.ts';
import type { SourceState } from '../../shared/source/source-state.ts';
import { formatKnownInstant } from '../cli/moments.ts';
import type { FeedLists } from '../place/open-feed.ts';
import { readAll } from '../place/read-ledger.ts';
import type { Attempt } from '../status/problems.ts';

/** Times are ISO 8601; null where there is nothing. */
export type Explanation = Awaited<ReturnType<typeof explainGroup>>;
export type ExplainedEntity = NonNullable<Explanation['snapshot']>['entities'][number];
export type ExplainedEvent = Explanation['events'][number];
export type ExplainedMark = Explanation['marks'][number];

interface ExplainPorts {
  readonly lists: Pick<FeedLists, 'mark' | 'skipped'>;
  readonly store: Pick<SnapshotStore, 'load'>;
  readonly ledger: Pick<Ledger, 'read'>;
  readonly destinations: readonly DestinationLabels[];
  readonly webhooks: readonly DestinationLabels[];
  /** Loads parts without which the others are still shown. @default fails with them */
  readonly attempt?: Attempt;
}

export async function explainGroup(ports: ExplainPorts, state: SourceState, returnGroupId: number) {
  const { source, generation } = state;
  const { attempt = (_, load) => load() } = ports;
  const key: GroupKey = { source, generation, group: returnGroupId };
  const [snapshots, events, marks] = await Promise.all([
    attempt('The present state', () => ports.store.load(key, [returnGroupId]), undefined),
    attempt('The story', () => readAll(ports.ledger, key), []),
    attempt('What was delivered', () => explainMarks(ports, key), []),
  ]);
  const snapshot = snapshots?.get(returnGroupId);
  const note = state.setAside.find(({ groupId }) => groupId === returnGroupId);
  return {
    source,
    generation,
    returnGroupId,
    snapshot: snapshot === undefined ? null : explainSnapshot(snapshot),
    /** Why and since when the group is set aside. */
    setAside:
      note === undefined
        ? null
        : { reason: note.reason, since: formatInstant(note.since), seenAt: formatKnownInstant(note.seenAt) },
    /** The holds of its source that stand: each may keep changes of the group back. */
    holds: state.holds.map((hold) => ({
      number: hold.number,
      message: describeHold(hold),
      /** The held change of this group; null if it is not among the samples. */
      sample: hold.samples.find((sample) => sample.groupId === returnGroupId) ?? null,
    })),
    /** The events that the ledger still holds, in order. */
    events: events.map(explainEntry),
    marks,
  };
}

/**
 * Only the entities and events of one entity, named by kind and id (`shipment/77120`, or `shipments/77120` as in event
 * subjects) or by id only.
 */
export function narrowTo(explanation: Explanation, entity: string): Explanation {
  const { snapshot, events } = explanation;
  const isIt = (kind: string, id: string) => [id, `${kind}/${id}`].includes(entity);
  return {
    ...explanation,
    snapshot: snapshot && {
      ...snapshot,
      entities: snapshot.entities.filter(({ key }) => {
        const [kind = '', ...id] = key.split('/');
        return isIt(kind, id.join('/')) || isIt(folderOf(kind), id.join('/'));
      }),
    },
    events: events.filter(({ event }) => {
      if (event === null) return false;
      const [, , folder = '', id = ''] = event.subject.split('/');
      return isIt(folder, id) || isIt(event.type.split('.')[0] ?? '', id);
    }),
  };
}

function folderOf(kind: string): string {
  return `${kind.replaceAll('_', '-')}s`;
}

async function explainMarks({ lists, destinations, webhooks }: ExplainPorts, key: GroupKey) {
  const marked = [
    ...destinations.map((labels) => ({ ...labels, isWebhook: false })),
    ...webhooks.map((labels) => ({ ...labels, isWebhook: true })),
  ];
  const skipped = await lists.skipped(key);
  return Promise.all(
    marked.map(async ({ name, mark, title, isWebhook }) => {
      const { sequence, behind, failingSince } = await lists.mark(mark, key);
      return {
        /** Its name in commands, and in sentences. */
        ...{ destination: name, title },
        /** The number of the last event sent. */
        sentThrough: sequence ?? null,
        behind: behind ?? null,
        /** Events that it never gets. */
        skipped: skipped
          .filter(({ destination }) => destination === mark)
          .map(({ from, to, reason }) => ({ from, to, reason })),
        /** Since when a webhook's next event fails. */
        failingSince: formatKnownInstant(failingSince),
        /**
         * Whether it is a webhook, or a URL that `watch` forwards to: without a number it has not begun with the group.
         */
        isWebhook,
      };
    }),
  );
}

/** `event` is null if it can't be decoded. */
function explainEntry(entry: LedgerEntry) {
  const { sequence } = entry;
  return 'event' in entry
    ? { sequence, event: entry.event, undecodable: null }
    : { sequence, event: null, undecodable: entry.undecodable };
}

/** Whether a destination never gets an event. */
export function isSkipped({ skipped }: Pick<ExplainedMark, 'skipped'>, sequence: number): boolean {
  return skipped.some(({ from, to }) => from <= sequence && sequence <= to);
}

type Fields = Readonly<Record<string, unknown>>;

function explainSnapshot(snapshot: Snapshot) {
  const { projection, absences, unpublished } = snapshot;
  return {
    /** The number of times it was saved. */
    version: snapshot.version,
    /** The number of its last event, 0 before the first. */
    lastNumber: snapshot.sequence,
    /** The service's timestamps. */
    createdAt: formatInstant(snapshot.createdAt),
    updatedAt: formatInstant(snapshot.updatedAt),
    /** When the last request whose answer had this content was sent. */
    shownAt: formatInstant(snapshot.sentAt),
    /** When the answer with the stored content arrived. */
    receivedAt: formatInstant(snapshot.receivedAt),
    removedAt: formatKnownInstant(snapshot.removedAt),
    isForgotten: isForgotten(snapshot),
    /** Since when look-ups by its id find nothing. */
    missingSince: formatKnownInstant(absences[keyOf(projection.group)]),
    group: projection.group,
    entities: [
      ...entitiesOf(projection).map((entity) => ({
        /** For instance `shipment/77120`. */
        key: keyOf(entity),
        object: { ...entity } as Fields,
        /** Since when reads do not contain it. */
        missingSince: formatKnownInstant(absences[keyOf(entity)]),
        /** Fields that were filled in without an event, with their values in the last event. */
        unpublished: unpublished[keyOf(entity)] ?? {},
      })),
      ...(projection.refund_transactions ?? []).map((refund) => ({
        key: `refund_transaction/${refund.platform_id ?? ''}`,
        object: { ...refund } as Fields,
        missingSince: null,
        unpublished: {},
      })),
    ],
  };
}
