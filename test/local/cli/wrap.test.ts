import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { cutTo, padTo, wrap } from '../../../local/cli/wrap.ts';

test('colours have no width', () => {
  const bold = '\u001b[1mdef\u001b[22m';

  expect(wrap(['abc,', bold], 8)).toEqual([`abc, ${bold}`]);
  expect(padTo(bold, 5)).toBe(`${bold}  `);
});

test('wide letters and emoji take two columns, and none is cut into halves', () => {
  const name = '返品👟カード';

  expect(wrap([name, 'sent'], 16)).toEqual([name, 'sent']);
  expect(stringWidth(padTo(name, 16))).toBe(16);
  expect([cutTo(name, 12), cutTo(name, 8), cutTo(name, 7)]).toEqual([name, '返品👟…', '返品👟…']);
});

test('no line of several words is wider than its room, and no word is lost', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'é', '返', '👟'), minLength: 1, maxLength: 30 });
  const widths = fc.record({ width: fc.integer({ min: 40, max: 60 }), used: fc.nat(60) });

  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 9 }), widths, (words, { width, used }) => {
      const [first = '', ...others] = wrap(words, width, width - Math.min(used, width));
      for (const line of others.filter((each) => each.includes(' ')))
        expect(stringWidth(line)).toBeLessThanOrEqual(width);
      if (used > 0) expect(stringWidth(first)).toBeLessThanOrEqual(Math.max(0, width - used));
      expect([first, ...others].join(' ').trim()).toBe(words.join(' '));
    }),
  );
});
