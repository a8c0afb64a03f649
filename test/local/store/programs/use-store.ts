// Uses a store as a process of its own: `use-store.ts MODE DIRECTORY`. Prints a line for each thing done.
//   save   saves random groups, some at once, until it is killed; a line for each event of a save that was confirmed
//   begin  saves the first state of a source, then does the same as save
//   once   saves one group and ends
//   other  does the same as another user
//   fill   saves 20 groups and ends
//   look   prints the identity, the notices and how many groups there are
//   swell  saves large groups until that fails
//   lock   takes the lock of `watch`, and keeps it
//   peek   looks who has that lock, again and again
import { createHash, randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { type LocalStore, openStore } from '../../../../local/store/open-store.ts';
import { lockForWatch, watchHolder } from '../../../../local/store/watch-lock.ts';
import { aKey, anEvent, aShipment, aSnapshot } from '../../../contract/sample-saves.ts';
import { aState } from '../../../contract/sample-states.ts';

const [mode, directory = ''] = process.argv.slice(2);
const GROUPS = 40;

function print(line: string): void {
  try {
    writeSync(1, `${line}\n`);
  } catch {
    // The test has ended.
    process.exit(1);
  }
}

function becomeNobody(): void {
  process.setgroups?.([]);
  process.setgid?.(65534);
  process.setuid?.(65534);
}

async function useStore(): Promise<void> {
  const store = await openStore(directory);

  /** One more version of a group, with two events that no other save has. */
  async function save(group: number, product = 'Jumper'): Promise<void> {
    const key = aKey(group);
    const stored = (await store.snapshots.load(key, [group])).get(group);
    const [version, sequence] = [stored?.version ?? 0, stored?.sequence ?? 0];
    const events = [1, 2].map((at) =>
      anEvent(key, sequence + at, { ...aShipment(group), tracking_number: `${randomUUID()} ${product}` }),
    );
    const receivedAt = Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
    const snapshot = aSnapshot(group, version + 1, { sequence: sequence + 2, receivedAt });
    const result = await store.snapshots.save(key, { snapshot, expectedVersion: version, events });
    if (result === 'conflict') return;
    await store.marks.advance('output', key, sequence + 2);
    for (const event of events)
      print(`${event.id} ${createHash('sha256').update(JSON.stringify(event)).digest('hex')}`);
  }

  async function saveForEver(): Promise<never> {
    for (;;) await save(Math.ceil(Math.random() * GROUPS));
  }

  if (mode === 'begin') await store.states.save(aState('acme'), 0);
  if (mode === 'save' || mode === 'begin') await Promise.all(Array.from({ length: 8 }, saveForEver));
  if (mode === 'once' || mode === 'other') await save(1);
  if (mode === 'fill') await Promise.all(Array.from({ length: 20 }, (_, at) => save(at + 1)));
  if (mode === 'swell') for (let group = 1; ; group += 1) await save(group, 'x'.repeat(100_000));
  if (mode === 'look') print(JSON.stringify(await lookAt(store)));
  await store.close();
  print('closed');
}

async function lookAt({ notices, states, sources, ledger }: LocalStore) {
  let groups = 0;
  for await (const _ of ledger.groups()) groups += 1;
  return { identity: await states.identity(), notices, groups, sources: await sources() };
}

try {
  if (mode === 'lock') {
    await lockForWatch(directory);
    print('locked');
    setInterval(() => {}, 60_000);
  } else if (mode === 'peek') {
    (await lockForWatch(directory)).release();
    print('looking');
    for (;;) await watchHolder(directory);
  } else {
    if (mode === 'other') becomeNobody();
    await useStore();
  }
} catch (error) {
  print(`${(error as Error).name}: ${(error as Error).message}`);
}
