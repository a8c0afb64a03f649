import { expect, test } from 'vitest';
import { colorsOf } from '../../../local/cli/layout.ts';

const [TERMINAL, PIPE] = [{ isTTY: true }, {}];

test.each([
  ['a terminal', TERMINAL, {}, true],
  ['a pipe', PIPE, {}, false],
  ['a pipe with FORCE_COLOR', PIPE, { FORCE_COLOR: '1' }, true],
  ['a terminal with FORCE_COLOR=0', TERMINAL, { FORCE_COLOR: '0' }, false],
  ['a terminal with an empty FORCE_COLOR', TERMINAL, { FORCE_COLOR: '' }, true],
  ['a terminal with NO_COLOR', TERMINAL, { NO_COLOR: '1' }, false],
  ['NO_COLOR beside FORCE_COLOR', PIPE, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
  ['a terminal with an empty NO_COLOR', TERMINAL, { NO_COLOR: '' }, true],
  ['a terminal that can show none', TERMINAL, { TERM: 'dumb' }, false],
])('colours: %s', (_, stream, environment, areShown) => {
  const { red } = colorsOf(stream, environment);

  expect(red('lost') !== 'lost').toBe(areShown);
});
