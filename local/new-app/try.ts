// Runs the handler on this machine, on events from standard input, one a line.
import { createInterface } from 'node:readline';
import { runRecorded } from 'returns-change-feed/subscriber-kit';
import { handler } from './arrivals.ts';

const { done, failed } = await runRecorded(handler, createInterface({ input: process.stdin }));
console.log(`${done} events went through, ${failed.length} failed.`, ...failed);
