import { describe, expect, it } from 'vitest';
import { describeFinding, endFindings, noteFinding } from '../../../shared/guarding/findings.ts';
import { aState } from '../a-state.ts';

const found = { code: 'groups_hidden', lane: 'recent', count: 2, example: 'return group 7' } as const;

describe('a finding', () => {
  it('is counted on while it is found again', () => {
    const first = noteFinding(aState(), found, 10);

    const again = noteFinding(first, { ...found, count: 3, example: 'return group 8' }, 20);

    expect(again.findings).toEqual([{ ...found, count: 5, example: 'return group 8', seenAt: 20 }]);
  });

  it('ends with a complete round of its lane that began after it was last seen', () => {
    const state = noteFinding(noteFinding(aState(), found, 10), { ...found, lane: 'older' }, 30);

    expect(endFindings(state, 'recent', 10).findings).toHaveLength(2);
    expect(endFindings(state, 'recent', 11).findings).toMatchObject([{ lane: 'older' }]);
    expect(endFindings(state, 'late', 99)).toBe(state);
  });

  it('of a look-up ends with the walk over recent groups', () => {
    const state = noteFinding(aState(), { ...found, lane: 'look-ups' }, 10);

    expect(endFindings(state, 'recent', 11).findings).toEqual([]);
  });

  it('of a field ends once walks over all groups began that did not find it', () => {
    const field = { ...found, code: 'unreadable_field', field: 'shipment.carrier' } as const;
    const readAt = { late: undefined, recent: 20 };
    const walked = (older: number) => ({ ...aState().position, readAt: { ...readAt, older } });
    const state = noteFinding(noteFinding(aState(), field, 10), { ...field, field: 'order.id' }, 10);

    expect(state.findings).toHaveLength(2);
    expect(endFindings({ ...state, position: walked(10) }, 'recent', 20).findings).toHaveLength(2);
    expect(endFindings({ ...state, position: walked(11) }, 'older', 11).findings).toEqual([]);
  });

  it.each([
    ['groups_hidden', 'Lists of the service leave out return groups that it shows when asked by id'],
    [
      'clock',
      'Return groups have timestamps more than a minute ahead of the local time, so only walks read their changes',
    ],
  ] as const)('is described with its count and an example: %s', (code, words) => {
    expect(describeFinding({ ...found, code, seenAt: 0 })).toBe(`${words} (2, for example return group 7).`);
  });
});
