// A terminal's screen as an SVG: text stays text, so that it can be searched, copied and compared.
import Anser from 'anser';

const WIDTH_OF_CHARACTER = 7.8;
const HEIGHT_OF_LINE = 19;
const [MARGIN, TITLE_BAR] = [18, 34];
const FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const [BACKGROUND, TEXT, DIM] = ['#0d1117', '#e6edf3', '#8b949e'];
/** By Anser's names of the eight colours. */
const COLORS: Readonly<Record<string, string>> = {
  'ansi-red': '#ff7b72',
  'ansi-green': '#7ee787',
  'ansi-yellow': '#f2cc60',
  'ansi-cyan': '#76e3ea',
};

/** The lines that remain on a terminal's screen: an erased line is replaced by the text written after it. */
export function linesLeft(output: string): string[] {
  return output
    .split(/\r?\n/)
    .map((line) => line.slice(line.lastIndexOf('\u001b[2K') + 1).replace(/^\[2K/, ''))
    .map((line) => line.replaceAll('\r', ''));
}

/** @param title shown in the window's bar, and the picture's text alternative */
export function drawTerminal(lines: readonly string[], title: string): string {
  const columns = Math.max(...lines.map((line) => Anser.ansiToText(line).length));
  const width = Math.ceil(2 * MARGIN + columns * WIDTH_OF_CHARACTER);
  const height = TITLE_BAR + 2 * MARGIN + lines.length * HEIGHT_OF_LINE;
  const texts = lines.map((line, index) => {
    const y = TITLE_BAR + MARGIN + (index + 0.7) * HEIGHT_OF_LINE;
    return `<text x="${MARGIN}" y="${y.toFixed(1)}" xml:space="preserve">${drawLine(line)}</text>`;
  });
  const dots = ['#ff5f56', '#ffbd2e', '#27c93f'].map(
    (color, index) =>
      `<circle cx="${MARGIN + 4 + index * 18}" cy="${TITLE_BAR / 2}" r="5.5" fill="${color}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="${escaped(title)}">`,
    `<rect width="${width}" height="${height}" rx="9" fill="${BACKGROUND}"/>`,
    ...dots,
    `<text x="${width / 2}" y="${TITLE_BAR / 2 + 4}" text-anchor="middle" font-family="${FONT}" font-size="12" fill="${DIM}">${escaped(title)}</text>`,
    `<g font-family="${FONT}" font-size="13" fill="${TEXT}">`,
    ...texts,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function drawLine(line: string): string {
  return Anser.ansiToJson(line, { use_classes: true, remove_empty: true })
    .map(({ content, fg, decorations }) => {
      const color = decorations.includes('dim') ? DIM : (COLORS[fg] ?? undefined);
      const attributes = [
        ...(color === undefined ? [] : [`fill="${color}"`]),
        ...(decorations.includes('bold') ? ['font-weight="bold"'] : []),
      ];
      return attributes.length === 0
        ? escaped(content)
        : `<tspan ${attributes.join(' ')}>${escaped(content)}</tspan>`;
    })
    .join('');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
