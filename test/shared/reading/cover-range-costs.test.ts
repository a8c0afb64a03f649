import { describe, expect, it } from 'vitest';
import { coverRange } from '../../../shared/reading/cover-range.ts';
import { inOrder, listOf, RANGE, restless } from './arranged-lists.ts';
import { createScriptedReader } from './some-rows.ts';

describe('the costs of pieces', () => {
  it('are one page and its proof each in an unstable order', async () => {
    const reader = createScriptedReader(listOf(100, 20, restless));

    await coverRange(RANGE, reader);

    expect(reader.requests.length).toBeLessThanOrEqual(32);
  });

  it('are those of passes in a stable order that rows have entered', async () => {
    const calm = listOf(400, 20, inOrder);
    let shifts = 0;
    const reader = createScriptedReader((request, index) => {
      const isShift = request.offset > 0 && shifts < 2 && index % 3 === 1;
      if (isShift) shifts += 1;
      return calm({ ...request, offset: request.offset - (isShift ? 2 : 0) }, index);
    });

    const { outcome } = await coverRange(RANGE, reader);

    expect(outcome).toBe('proved');
    expect(reader.requests.length).toBeLessThanOrEqual(36);
  });

  it('are one page each once a piece shows that the order is unstable', async () => {
    const list = listOf(100, 20, (rows, request) => (request < 2 ? rows : restless(rows, request)));
    const reader = createScriptedReader((request, index) =>
      list({ ...request, offset: request.offset - (index === 1 ? 2 : 0) }, index),
    );

    const { outcome, isShifted } = await coverRange(RANGE, reader);

    expect({ outcome, isShifted }).toEqual({ outcome: 'proved', isShifted: false });
    expect(reader.requests.length).toBeLessThanOrEqual(40);
  });

  it('stay small if a piece of stable order has too many pages and is cut', async () => {
    const calm = listOf(400, 20, inOrder);
    const reader = createScriptedReader(
      (request, index) => calm({ ...request, offset: request.offset - (index === 1 ? 2 : 0) }, index),
      { maxPages: 6 },
    );

    const { outcome } = await coverRange(RANGE, reader);

    expect(outcome).toBe('proved');
    expect(reader.requests.length).toBeLessThanOrEqual(100);
  });
});
