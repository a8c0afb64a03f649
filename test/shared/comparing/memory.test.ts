import { describe, expect, it } from 'vitest';
import { createMemory, fingerprintOf } from '../../../shared/comparing/memory.ts';
import { aRow, read } from './a-reading.ts';

const remembered = { fingerprint: '1.2', sentAt: 1, showsAll: true };

describe('the memory of groups', () => {
  it('has the last stored state of a group', () => {
    const memory = createMemory();

    memory.remember(1, remembered);
    memory.remember(1, { ...remembered, sentAt: 2 });

    expect(memory.recall(1)).toEqual({ ...remembered, sentAt: 2 });
    expect(memory.recall(2)).toBeUndefined();
  });

  it('forgets one group or all groups', () => {
    const memory = createMemory();
    for (const group of [1, 2, 3]) memory.remember(group, remembered);

    memory.forget(1);
    expect([1, 2, 3].map((group) => memory.recall(group) !== undefined)).toEqual([false, true, true]);

    memory.forgetAll();
    expect([1, 2, 3].map((group) => memory.recall(group) !== undefined)).toEqual([false, false, false]);
  });

  it('keeps at most its limit of groups: those stored last', () => {
    const memory = createMemory(2);

    for (const group of [1, 2, 1, 3]) memory.remember(group, remembered);

    expect([1, 2, 3].map((group) => memory.recall(group) !== undefined)).toEqual([true, false, true]);
  });

  it('has different fingerprints for groups with different values', () => {
    const changed = aRow((row) => Object.assign(row, { return_method: 'BY_DRONE' }));

    const fingerprints = [aRow(), aRow(), changed].map((row) => fingerprintOf(read(row).projection));

    expect(fingerprints[1]).toBe(fingerprints[0]);
    expect(fingerprints[2]).not.toBe(fingerprints[0]);
  });
});
