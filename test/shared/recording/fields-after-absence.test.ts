// The service begins to send a field while an entity is missing, and a whole walk ends meanwhile. When the entity is
// shown again, nobody could know the field's value before: it is filled in without an event.
import { expect, it } from 'vitest';
import { createUnknowable } from '../../../shared/comparing/known-fields.ts';
import { SECOND } from '../../../shared/instant.ts';
import { sampleRow } from '../returns-service/sample-rows.ts';
import { createSetting, page, START } from './recorder-under-test.ts';

const at = (seconds: number) => START + seconds * SECOND;
const row = sampleRow(1);
const { shipments: _, ...leftOut } = row;

it.each([
  ['its removal was held', { ...row, shipments: [] }],
  ['its array was left out', leftOut],
])('a field that began while an entity was missing makes no event (%s)', async (_, meanwhile) => {
  const knowledge = {
    fieldsSince: { 'shipment.carrier': at(120) },
    wholeWalks: [{ fieldsUntil: at(200), endedAt: at(400) }],
  };
  const { recorder, events, known } = createSetting();
  const { take } = recorder({
    trustsMemory: false,
    guard: { admits: () => true, admitsRemovals: () => false },
    unknowable: (snapshot, reading) => createUnknowable(knowledge, snapshot, reading),
  });
  const before = { ...row, shipments: row.shipments.map(({ carrier, ...shipment }) => shipment) };
  await take(page([before], 0));
  await take(page([{ ...row, shipments: [] }], 100));
  await take(page([meanwhile], 300));
  const noted = Object.keys((await known(1))?.absences ?? {});

  await take(page([row], 600));

  expect(noted).toHaveLength(1);
  expect(await events(1)).toEqual([]);
});
