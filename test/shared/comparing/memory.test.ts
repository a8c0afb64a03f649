import { describe, expect, it } from 'vitest';
import { createMemory, shareOfMemory } from '../../../shared/comparing/memory.ts';

const remembered = { digest: '1.2', sentAt: 1, updatedAt: 5 };

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
    const memory = createMemory(() => 2);

    for (const group of [1, 2, 1, 3]) memory.remember(group, remembered);

    expect([1, 2, 3].map((group) => memory.recall(group) !== undefined)).toEqual([true, false, true]);
  });

  it('knows the stamps of its groups', () => {
    const memory = createMemory(() => 2);

    for (const group of [1, 2, 3]) memory.remember(group, { ...remembered, updatedAt: 10 * group });

    expect([...memory.updateStamps()]).toEqual([20, 30]);
  });
});

it.each([
  [1, 20_000],
  [20, 1_000],
  [1_000, 50],
])('of a process with %i sources keeps %i groups of each', (sources, groups) => {
  expect(shareOfMemory(sources)).toBe(groups);
});
