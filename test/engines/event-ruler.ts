// The matcher of EventBridge, which AWS publishes as a library in Java (https://github.com/aws/event-ruler). Maven
// downloads it into node_modules/.cache, in the exact version of event-ruler/pom.xml.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { runCommand, whyNot } from '../package/run-command.ts';
import type { EventPattern } from './event-pattern.ts';

const HERE = fileURLToPath(new URL('./event-ruler/', import.meta.url));
const JARS = fileURLToPath(new URL('../../node_modules/.cache/event-ruler/', import.meta.url));

/** SHA-256 of the library and of all that it needs. */
const CHECKSUMS: Readonly<Record<string, string>> = {
  'event-ruler-2.1.0.jar': '0de916a30048f996f129d05eb3dc6871c89a462f1377c876fd2d34f2e04152fe',
  'fastdoubleparser-2.0.1.jar': '4242e2335299026524d331355a6cd75abdc38c8fed4402f25b5c7ce9d7668cc1',
  'jackson-annotations-2.22.jar': '21ddb598807d3a51a876704eb979d9296e1c6a6f47ab1826ff88c6d6a127a2d0',
  'jackson-core-2.22.2.jar': 'ff167a6317be15895706c26668f45b898efe40ab8780970658210fe1393d52a6',
  'jackson-databind-2.22.2.jar': 'd0da14c12b16b5d54719aa172d83b542ff4abeb8b0fb7db476fde8ceece760ca',
  'jsr305-3.0.2.jar': '766ad2a0783f2687962c8ad74ceecc38a28b9f72a2d085ee438b7813e928d0c7',
};

export interface EventRuler {
  /** Returns whether an event matches a pattern. @throws Error if the pattern is invalid */
  matches(pattern: EventPattern, event: unknown): Promise<boolean>;
  stop(): Promise<void>;
}

/**
 * @returns why it is not available: Java, Maven or the network is missing
 * @throws Error if a file is not the expected one
 */
export async function startEventRuler(): Promise<EventRuler | string> {
  const missing =
    (await whyNot(() => runCommand('javac', ['-version'], { cwd: HERE }))) ?? (await download());
  if (missing !== undefined) return `event-ruler is not available: ${missing}`;
  for (const [name, expected] of Object.entries(CHECKSUMS)) {
    const actual = createHash('sha256')
      .update(await readFile(join(JARS, name)))
      .digest('hex');
    if (actual !== expected)
      throw new Error(`${join(JARS, name)} has the SHA-256 ${actual}, not ${expected}.`);
  }
  return start();
}

async function download(): Promise<string | undefined> {
  if (Object.keys(CHECKSUMS).every((name) => existsSync(join(JARS, name)))) return undefined;
  const args = ['-q', '-B', 'dependency:copy-dependencies', `-DoutputDirectory=${JARS}`];
  return whyNot(() => runCommand('mvn', args, { cwd: HERE }));
}

function start(): EventRuler {
  // Only the listed files: another version may still be in the cache.
  const classPath = Object.keys(CHECKSUMS).map((name) => join(JARS, name));
  const child = spawn('java', ['-XX:TieredStopAtLevel=1', '-cp', classPath.join(delimiter), 'Judge.java'], {
    cwd: HERE,
  });
  const complaints: string[] = [];
  child.stderr.on('data', (chunk) => complaints.push(String(chunk)));
  // If the process has ended, `matches` throws what it printed.
  child.stdin.on('error', () => {});
  const ended = once(child, 'close');
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async matches(pattern, event) {
      child.stdin.write(`${JSON.stringify({ pattern, event })}\n`);
      const { value, done } = await answers.next();
      if (done) throw new Error(`event-ruler ended: ${complaints.join('')}`);
      if (value !== 'true' && value !== 'false') throw new Error(`${value} ${JSON.stringify(pattern)}`);
      return value === 'true';
    },
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
