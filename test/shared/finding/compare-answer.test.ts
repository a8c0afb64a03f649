import { expect, test } from 'vitest';
import { projectGroup } from '../../../shared/comparing/project-group.ts';
import type { GroupProjection, Snapshot } from '../../../shared/comparing/snapshot.ts';
import type { ShownGroup } from '../../../shared/finding/ask-for-group.ts';
import { compareAnswer } from '../../../shared/finding/compare-answer.ts';
import { MINUTE, SECOND } from '../../../shared/instant.ts';
import { UNREADABLE } from '../../../shared/returns-service/field-kinds.ts';
import type { ReturnGroup } from '../../../shared/returns-service/read-row.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { aState } from '../a-state.ts';

const STATE = aState();
const SETTLE = MINUTE;
const READ_AT = VIRTUAL_START;

const GROUP: ReturnGroup = {
  id: 50_017,
  created_at: '2026-11-20T10:00:00Z',
  updated_at: '2026-11-20T10:15:00Z',
  returns: [{ id: 1, status: 'OPEN', quantity: 1 }],
  shipments: [
    { id: 7, status: 'CREATED', tracking_number: '1Z7' },
    { id: 8, status: 'CREATED', tracking_number: '1Z8' },
  ],
} as unknown as ReturnGroup;

const STORED: Snapshot = {
  groupId: 50_017,
  version: 3,
  sequence: 5,
  projectionVersion: 1,
  createdAt: READ_AT,
  updatedAt: READ_AT,
  sentAt: READ_AT,
  receivedAt: READ_AT,
  projection: projectGroup(GROUP) as GroupProjection,
  absences: {},
  unpublished: {},
};

function shown(changes: Partial<ReturnGroup> = {}, after = 2 * MINUTE): ShownGroup {
  const projection = projectGroup({ ...GROUP, ...changes });
  const sentAt = READ_AT + after;
  return {
    kind: 'shown',
    createdAt: READ_AT,
    updatedAt: READ_AT,
    projection,
    sentAt,
    receivedAt: sentAt + SECOND,
  };
}

const compare = (answer: Parameters<typeof compareAnswer>[2], snapshot: Snapshot | undefined = STORED) =>
  compareAnswer(STATE, snapshot, answer, SETTLE);

const [first, second] = (GROUP.shipments || []).filter((shipment) => shipment !== UNREADABLE);

test('an answer equals the stored state, also in another order and with a newer stamp', () => {
  const reordered = shown({ shipments: [second!, first!], updated_at: '2026-11-20T11:00:00Z' });

  expect(compare(reordered)).toEqual({ agrees: true, differences: [], mayBeStale: false });
});

test('a changed field is named with both values', () => {
  const delivered = shown({ shipments: [{ ...first!, status: 'DELIVERED' }, second!] });

  expect(compare(delivered)).toEqual({
    agrees: false,
    differences: [
      {
        entity: 'shipment/7',
        kind: 'changed',
        fields: [{ field: 'status', inFeed: 'CREATED', atService: 'DELIVERED' }],
      },
    ],
    mayBeStale: false,
  });
});

test('entities on only one side are named, and an array that is left out makes no difference', () => {
  const third = { ...first!, id: 9 };
  const others = shown({ shipments: [first!, third], returns: undefined });

  expect(compare(others).differences).toEqual([
    { entity: 'shipment/9', kind: 'only_at_service', fields: [] },
    { entity: 'shipment/8', kind: 'only_in_feed', fields: [] },
  ]);
});

test('an entity that the feed already misses is still a difference', () => {
  const missing = { ...STORED, absences: { 'shipment/8': READ_AT } };

  const compared = compare(shown({ shipments: [first!] }), missing);
  const silent = compare(shown({ shipments: undefined }), missing);

  expect(compared.differences).toEqual([{ entity: 'shipment/8', kind: 'only_in_feed', fields: [] }]);
  expect(silent.agrees).toBe(true);
});

test('a difference soon after the last read may be stale, as for polls', () => {
  const early = shown({ shipments: [first!] }, 10 * SECOND);

  expect(compare(early)).toMatchObject({ agrees: false, mayBeStale: true });
});

test('a group on only one side is a difference, a group on neither side is none', () => {
  const absent = { kind: 'absent', sentAt: READ_AT, receivedAt: READ_AT } as const;
  const removed = { ...STORED, removedAt: READ_AT };
  const entity = 'return_group/50017';

  expect(compare(absent).differences).toEqual([{ entity, kind: 'only_in_feed', fields: [] }]);
  expect(compareAnswer(STATE, undefined, shown(), SETTLE).differences).toEqual([
    { entity, kind: 'only_at_service', fields: [] },
  ]);
  expect(compare(shown(), removed).agrees).toBe(false);
  expect(compare(absent, removed).agrees).toBe(true);
});

test('an unreadable row equals no state', () => {
  const unreadable = { kind: 'unreadable', reason: 'no id', sentAt: READ_AT, receivedAt: READ_AT } as const;

  expect(compare(unreadable)).toEqual({ agrees: false, differences: [], mayBeStale: false });
});
