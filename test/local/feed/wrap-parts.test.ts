import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wrapParts } from '../../../local/feed/wrap-parts.ts';

const plain = (text: string) => ({ plain: text, styled: text });

test('colours have no width', () => {
  const parts = [plain('abc'), { plain: 'def', styled: '\u001b[1mdef\u001b[22m' }];

  const line = wrapParts(parts, 8, 0, 2);

  expect(line).toBe('abc, \u001b[1mdef\u001b[22m');
});

test('no line is wider than the terminal, and no text that fits a line is lost', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' '), minLength: 1, maxLength: 60 });
  const widths = fc.record({ width: fc.integer({ min: 40, max: 60 }), indent: fc.nat(20) });

  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 6 }), widths, (texts, { width, indent }) => {
      const lines = wrapParts(texts.map(plain), width, indent, indent).split('\n');
      const [first = '', ...further] = lines;
      expect(indent + first.length).toBeLessThanOrEqual(width);
      for (const line of further) expect(line.length).toBeLessThanOrEqual(width);
      if (texts.some((it) => it.length + indent + 1 > width)) return;
      expect(
        lines
          .map((line) => line.trim())
          .join(' ')
          .replaceAll(/ +/g, ' ')
          .trim(),
      ).toBe(texts.join(', ').replaceAll(/ +/g, ' ').trim());
    }),
  );
});
