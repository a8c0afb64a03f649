import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../../shared/comparing/digest.ts';
import { projectGroup } from '../../../shared/comparing/project-group.ts';
import type { ShownProjection } from '../../../shared/comparing/snapshot.ts';
import { DOCUMENTED_RESOURCES } from '../../../shared/returns-service/documented-resources.ts';
import { parseReturnGroup } from '../../../shared/returns-service/parse-return-group.ts';
import { arbitraryOf } from '../returns-service/arbitrary-of-schema.ts';
import { aRow, read } from './a-reading.ts';

describe('a digest', () => {
  it('is short, and the same for the same content', () => {
    const digest = digestOf(read(aRow()).projection);

    expect(digest).toMatch(/^\d{1,10}\.\d{1,10}$/);
    expect(digestOf(read(aRow()).projection)).toBe(digest);
  });

  it('differs for a change of any field of a group', () => {
    const { projection } = read(aRow());
    const variants = variantsOf(projection);

    const digests = new Set([projection, ...variants].map((variant) => digestOf(variant)));

    expect(variants.length).toBeGreaterThan(90);
    expect(digests.size).toBe(variants.length + 1);
  });

  it('does not differ for the noise of floating point', () => {
    expect(digestOf([0.1 + 0.2])).toBe(digestOf([0.3]));
  });

  it.each([
    [
      ['ab', 'c'],
      ['a', 'bc'],
    ],
    [
      ['', 'a'],
      ['a', ''],
    ],
    [
      [null, ''],
      ['', null],
    ],
    [[], [null]],
    [{}, ''],
    [
      [[1], [2]],
      [[1, 2], []],
    ],
    [[0], [false]],
    [[1.5], [1.25]],
    [[1], [1.000001]],
    [[2 ** 40], [2 ** 41]],
    [['a\u0100'], ['a\u0000']],
    [[1], ['1']],
    [[-1], [null]],
    [[0], [null]],
    [[true], [false]],
  ])('distinguishes %j from %j', (one, other) => {
    expect(digestOf(one)).not.toBe(digestOf(other));
  });

  it('differs for a change of any letter of a text', () => {
    const text = 'seven or eight';
    const variants = [...text].map((_, at) => `${text.slice(0, at)}X${text.slice(at + 1)}`);

    const digests = new Set([text, ...variants].map(digestOf));

    expect(digests.size).toBe(variants.length + 1);
  });

  it('distinguishes what an answer says nothing of from null', () => {
    expect(digestOf({ carrier: undefined })).not.toBe(digestOf({ carrier: null }));
  });

  it('is equal for two groups exactly if their projections are equal', () => {
    const groups = arbitraryOf(DOCUMENTED_RESOURCES.ReturnGroup).map(projectionOf);

    fc.assert(
      fc.property(groups, groups, (one, other) => {
        const isSame = JSON.stringify(one) === JSON.stringify(other);

        expect(digestOf(one) === digestOf(other)).toBe(isSame);
      }),
    );
  });
});

function projectionOf(row: unknown): ShownProjection | undefined {
  const parsed = parseReturnGroup(row);
  return parsed.kind === 'readable' ? projectGroup(parsed.group) : undefined;
}

/** Variants of the value, each with one of its inner values changed. */
function variantsOf(value: unknown): unknown[] {
  if (typeof value === 'string') return [`${value} `, value.slice(1), null];
  if (typeof value === 'number') return [value + 1];
  if (typeof value !== 'object' || value === null) return ['something'];
  if (Array.isArray(value))
    return [
      [...value, null],
      ...value.flatMap((element, at) => variantsOf(element).map((v) => value.with(at, v))),
    ];
  return Object.entries(value).flatMap(([name, field]) =>
    variantsOf(field).map((variant) => ({ ...value, [name]: variant })),
  );
}
