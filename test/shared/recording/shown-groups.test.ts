// What a process remembers of the groups that it was shown, and when a change that it did not see may have happened.
import { describe, expect, it } from 'vitest';
import { SECOND } from '../../../shared/instant.ts';
import { sampleRow } from '../returns-service/sample-rows.ts';
import { createSetting, failed, LATER, page, START } from './recorder-under-test.ts';

describe('the memory', () => {
  it('makes loading unchanged groups unnecessary', async () => {
    const { recorder, loads } = createSetting();
    await recorder().take(page([sampleRow(1)]));

    await recorder().take(page([sampleRow(1)], 10));

    expect(loads()).toBe(1);
  });

  it('is not used by a walk, and drops a group for which a walk saves another state', async () => {
    const { recorder, loads, memory, events } = createSetting();
    await recorder().take(page([sampleRow(1)]));
    const walk = recorder({ through: 'reconciliation', trustsMemory: false });
    await walk.take(page([sampleRow(1)], 10));
    const afterUnchanged = loads();

    await walk.take(page([failed(1)], 100));
    const forgotten = memory.recall(1);
    await recorder().take(page([sampleRow(1)], 200));

    expect(afterUnchanged).toBe(2);
    expect(forgotten).toBeUndefined();
    expect(await events(1)).toHaveLength(2);
  });

  it('does not keep a group with missing entities', async () => {
    const { recorder, memory } = createSetting();
    await recorder().take(page([sampleRow(1)]));

    await recorder().take(page([{ ...sampleRow(1), updated_at: LATER, shipments: [] }], 10));

    expect(memory.recall(1)).toBeUndefined();
  });
});

describe('a change of an array that answers left out', () => {
  const leftOut = { ...sampleRow(1), shipments: undefined };
  const observed = (entries: readonly unknown[]) =>
    (entries as { event: { data: { observed: unknown } } }[]).at(-1)?.event.data.observed;
  const stamp = (after: number) =>
    `${new Date((START + after * SECOND) / 1_000).toISOString().slice(0, -1)}000Z`;

  it('may have happened since the last answer with the array', async () => {
    const { recorder, events } = createSetting();
    await recorder().take(page([sampleRow(1)]));
    await recorder().take(page([sampleRow(1)], 100));
    await recorder().take(page([leftOut], 200));
    await recorder().take(page([leftOut], 300));

    await recorder().take(page([failed(1)], 400));

    expect(observed(await events(1))).toMatchObject({ after: stamp(100 - 60), by: stamp(401) });
  });

  it('happened after the next answer that has the array again', async () => {
    const { recorder, events } = createSetting();
    await recorder().take(page([sampleRow(1)]));
    await recorder().take(page([leftOut], 200));
    await recorder().take(page([sampleRow(1)], 300));

    await recorder().take(page([failed(1)], 400));

    expect(observed(await events(1))).toMatchObject({ after: stamp(300 - 60), by: stamp(401) });
  });

  it('may have happened before another event from an answer without the array', async () => {
    const { recorder, events } = createSetting();
    await recorder().take(page([sampleRow(1)]));
    await recorder().take(page([{ ...leftOut, credit_method: 'ORIGINAL_PAYMENT_METHOD' }], 200));
    await recorder().take(page([{ ...leftOut, credit_method: 'ORIGINAL_PAYMENT_METHOD' }], 300));

    await recorder().take(page([{ ...failed(1), credit_method: 'ORIGINAL_PAYMENT_METHOD' }], 400));

    expect(observed(await events(1))).toMatchObject({ after: stamp(0 - 60), by: stamp(401) });
  });

  it('costs no load while answers leave the array out', async () => {
    const { recorder, loads } = createSetting();
    await recorder().take(page([sampleRow(1)]));
    await recorder().take(page([leftOut], 200));
    const before = loads();

    await recorder().take(page([leftOut], 300));

    expect(loads()).toBe(before);
  });
});
