// docs/pulling.md: public clients of the Durable Streams protocol, as they are, read the pull feed while it grows. They are
// killed again and again, and end with every event.
import { type ChildProcess, spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { createSystemClock } from '../../functions/adapters/system-clock.ts';
import { hashToken } from '../../functions/adapters/token-hash.ts';
import { createFeedHealth } from '../../local/listener/feed-health.ts';
import { startListener } from '../../local/listener/start-listener.ts';
import { openStore } from '../../local/store/open-store.ts';
import type { Readers } from '../../shared/pulling/reader.ts';
import { aKey, aSave } from '../contract/sample-saves.ts';
import { type PullFunction, startPullFunction } from '../functions/pull/pull-function.ts';
import { folderOf, need, Unavailable } from '../generated-types/generate.ts';

const FOLDER = fileURLToPath(new URL('../../docs/examples/pulling/', import.meta.url));
const PAGE = readFileSync(new URL('../../docs/pulling.md', import.meta.url), 'utf8');
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const EVENTS_EACH = 200;
const LONGEST_LIFE_MS = 400;
const MAKE_TIMEOUT = 600_000;

test.each(readdirSync(FOLDER))(
  'docs/pulling.md shows docs/examples/pulling/%s, with 12 lines of work at most',
  (file) => {
    const text = readFileSync(join(FOLDER, file), 'utf8');

    const work = text
      .split('\n')
      .filter((line) => line.trim() !== '' && !/^(import|from|package|\)|\t("|ds ")|\t$)/.test(line));
    expect(PAGE).toContain(`\n${text}\`\`\``);
    expect(work.length).toBeLessThanOrEqual(12);
  },
);

/** What the page leaves to the reader: each save is one line with the offset and the ids. */
const STORES = {
  'store.ts': `import { appendFileSync, existsSync, readFileSync } from 'node:fs';
const lines = () => (existsSync('saved') ? readFileSync('saved', 'utf8').split('\\n') : []).slice(0, -1);
export const load = (): string | undefined => JSON.parse(lines().at(-1) ?? '{}').offset;
export const save = (items: readonly { id: string }[], offset: string): void =>
  appendFileSync('saved', JSON.stringify({ offset, ids: items.map(({ id }) => id) }) + '\\n');
`,
  'store.py': `import json, os
def load():
    lines = open("saved").read().split("\\n")[:-1] if os.path.exists("saved") else []
    return json.loads(lines[-1])["offset"] if lines else None
def save(events, offset):
    with open("saved", "a") as file:
        file.write(json.dumps({"offset": offset, "ids": [event["id"] for event in events]}) + "\\n")
`,
  'store.go': `package main

import (
	"encoding/json"
	"os"
	"strings"

	ds "github.com/durable-streams/durable-streams/packages/client-go"
)

type line struct {
	Offset string   \`json:"offset"\`
	Ids    []string \`json:"ids"\`
}

func load() ds.Offset {
	text, _ := os.ReadFile("saved")
	lines := strings.Split(string(text), "\\n")
	if len(lines) < 2 {
		return ds.Offset("-1")
	}
	var last line
	json.Unmarshal([]byte(lines[len(lines)-2]), &last)
	return ds.Offset(last.Offset)
}

func save(data []byte, offset ds.Offset) {
	var events []struct{ Id string }
	json.Unmarshal(data, &events)
	saved := line{Offset: string(offset)}
	for _, event := range events {
		saved.Ids = append(saved.Ids, event.Id)
	}
	text, _ := json.Marshal(saved)
	file, _ := os.OpenFile("saved", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	file.Write(append(text, '\\n'))
	file.Close()
}
`,
};

/** Makes the program in a folder. @returns its command */
type Prepare = (folder: string) => Promise<readonly string[]>;

const ofTypeScript: Prepare = async (folder) => {
  const outfile = join(folder, 'read.mjs');
  const from = {
    stdin: { contents: readFileSync(join(folder, 'read.ts'), 'utf8'), loader: 'ts', resolveDir: folder },
  } as const;
  await build({
    ...from,
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    nodePaths: [join(ROOT, 'node_modules')],
  });
  return [process.execPath, outfile];
};

const ofPython: Prepare = async (folder) => {
  const python = join(folder, '..', 'pulling-venv', 'bin', 'python');
  if (!existsSync(python)) need('python3', ['-m', 'venv', join(folder, '..', 'pulling-venv')]);
  need(python, ['-m', 'pip', 'install', '--quiet', /durable-streams==[\d.]+/.exec(PAGE)?.[0] ?? '']);
  return [python, join(folder, 'read.py')];
};

const ofGo: Prepare = async (folder) => {
  need('go', ['mod', 'init', 'pulling'], folder);
  need(
    'go',
    [
      'get',
      /github\.com\/durable-streams\/durable-streams\/packages\/client-go@[\w.-]+/.exec(PAGE)?.[0] ?? '',
    ],
    folder,
  );
  need('go', ['build', '-o', 'pulling', '.'], folder);
  return [join(folder, 'pulling')];
};

interface Place extends Pick<PullFunction, 'url' | 'save' | 'close'> {
  readonly readers: Readers;
}

async function onOneMachine(): Promise<Place> {
  const data = mkdtempSync(join(tmpdir(), 'pulling-'));
  const store = await openStore(data);
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const health = createFeedHealth(data);
  const listening = await startListener(
    { host: '127.0.0.1', port: 0 },
    { store, clock: createSystemClock(), log, health },
  );
  return {
    ...{ url: listening.url, readers: store.readers },
    save: async (key, save) => void (await store.snapshots.save(key, save)),
    async close() {
      await listening.close();
      await store.close();
      rmSync(data, { recursive: true });
    },
  };
}

async function inAws(): Promise<Place> {
  const pull = await startPullFunction();
  return { ...pull, readers: pull.stores.readers };
}

describe.each([
  ['TypeScript', 'on one machine', 'ts', ofTypeScript, onOneMachine, 50],
  ['Python', 'on one machine', 'py', ofPython, onOneMachine, 50],
  ['Go', 'on one machine', 'go', ofGo, onOneMachine, 50],
  ['TypeScript', 'in AWS', 'ts', ofTypeScript, inAws, 10],
] as const)('the client in %s, %s', (_language, where, extension, prepare, open, kills) => {
  const folder = folderOf(`pulling-${extension}-${where.replaceAll(' ', '-')}`);
  const saved: string[] = [];
  let place: Place;
  let command: readonly string[];
  let missing: string | undefined;

  beforeAll(async () => {
    for (const name of [`read.${extension}`] as const) copyFileSync(join(FOLDER, name), join(folder, name));
    writeFileSync(join(folder, `store.${extension}`), STORES[`store.${extension}`]);
    try {
      command = await prepare(folder);
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      missing = error.message;
    }
    place = await open();
    await place.readers.add('all', { filter: {}, tokens: [hashToken('a-token')] });
  }, MAKE_TIMEOUT);
  afterAll(() => place.close());

  function start(): ChildProcess {
    const [program = '', ...args] = command;
    const environment = { FEED_URL: `${place.url}/v1/readers/all`, FEED_TOKEN: 'a-token' };
    return spawn(program, args, { cwd: folder, env: { ...process.env, ...environment }, stdio: 'ignore' });
  }

  async function kill(child: ChildProcess): Promise<void> {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  const read = () => {
    const file = join(folder, 'saved');
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
    return lines.flatMap((line) => (JSON.parse(line) as { ids: string[] }).ids);
  };

  it(`has every event after ${kills} kills`, async ({ skip }) => {
    if (missing !== undefined) skip(missing);
    for (let at = 1; at <= kills; at += 1) {
      const key = aKey(at);
      const save = aSave(key, undefined, EVENTS_EACH);
      const child = start();
      await place.save(key, save);
      saved.push(...save.events.map(({ id }) => id));
      await setTimeout(Math.random() * LONGEST_LIFE_MS);
      await kill(child);
    }
    const last = start();

    await expect.poll(() => new Set(read()).size, { timeout: 60_000, interval: 200 }).toBe(saved.length);

    await kill(last);
    expect(new Set(read())).toEqual(new Set(saved));
  }, 180_000);
});
