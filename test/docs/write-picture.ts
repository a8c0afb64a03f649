// `npm run picture`: draws docs/npm-start.svg from a real run. It needs `script` (util-linux) for a terminal.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { drawTerminal, linesLeft } from './terminal-picture.ts';

const COLUMNS = 112;
const RUN_S = 25;
const MOST_LINES = 22;
const PICTURE = new URL('../../docs/npm-start.svg', import.meta.url);

const command = `stty cols ${COLUMNS}; timeout --signal=INT ${RUN_S} node local/start.js`;
const terminal = spawn('script', ['-qec', command, '/dev/null'], { stdio: ['ignore', 'pipe', 'inherit'] });
let output = '';
terminal.stdout.setEncoding('utf8').on('data', (text) => {
  output += text;
});
const [code] = await once(terminal, 'close');
const lines = linesLeft(output).filter((line) => line.trim() !== '');
const events = lines.slice(0, MOST_LINES);
if (events.length < MOST_LINES)
  throw new Error(`The run ended with ${code} after ${lines.length} lines:\n${output}`);
writeFileSync(PICTURE, drawTerminal(['$ npm start', ...events], 'npm start'));
