// Hands every event on standard input, one a line, to a handler:
//   node try.js < node_modules/returns-change-feed/docs/events/recorded.jsonl
//   npx --no returns-feed watch --json … | node try.js
import { createInterface } from 'node:readline';
import { runRecorded } from 'returns-change-feed/subscriber-kit';
import { handler } from './five-lines.js';

const { done, failed } = await runRecorded(handler, createInterface({ input: process.stdin }));
console.error(`${done} events went through, ${failed.length} failed`, ...failed);
