// Creates the situation that a command of the runbook is for, and the values of the command's names.
import type { RecentGroup } from '../../functions/adapters/dynamodb-activities.ts';
import { compareReading } from '../../shared/comparing/compare-reading.ts';
import type { GroupKey } from '../../shared/ports.ts';
import { newEndpoint } from '../../shared/webhooks/endpoint-state.ts';
import { aState } from '../contract/sample-states.ts';
import type { Stores } from '../contract/stores.ts';
import { aRow, OPTIONS, read } from '../shared/comparing/a-reading.ts';
import { aKey } from '../shared/publishing/an-event.ts';
import { createMovableDirectory } from './movable-directory.ts';

export type Values = Readonly<Record<string, string | readonly string[]>>;

export interface Situations {
  /** Creates the situation; may be called repeatedly. @returns the values of the command's names */
  before(command: string): Promise<Values>;
}

const DESTINATIONS = ['queue', 'bus'] as const;

/** @param put an event into the ledger */
export async function createSituations(
  stack: string,
  /** Notes that a return of acme changed, for the console. */
  noteActivity: (recent: RecentGroup) => Promise<void>,
  /** The prefix of the names of tokens. */
  feedName: string,
  /** Adds an entry for a source that operators may change. */
  addEntry: (source: string) => Promise<void>,
  stores: Omit<Stores, 'close'>,
  put: (key: GroupKey, sequence: number, trackingNumber?: string) => Promise<void>,
  /**
   * Resets each signing secret to the state before any rotation, because a second rotation within a day is rejected.
   */
  forgetRotations: () => void,
): Promise<Situations> {
  const { states, snapshots, marks, endpoints } = stores;
  const mintedIn = await states.identity();
  await states.save(aState('acme', 1, { mintedIn, earlierGenerations: [] }), 0);
  await readGroup(184_467);
  await noteActivity({ group: 184_467, sequence: 6, savedAt: 1_763_633_703_000_000 });
  const common: Values = {
    stack,
    source: 'acme',
    group: '184467',
    id: '184467',
    time: ['2026-11-20T10:00:00Z', '2026-11-20T11:00:00Z'],
    url: 'https://globex.example.com/api',
    secret: `${feedName}/tokens/globex.example.com/main`,
    hold: '7',
    webhook: 'Wms',
    tracking: '1Z999AA10123456784',
    text: 'R1042',
    reader: 'wms',
  };
  let group = 1_000;

  async function newGroup(sequences: readonly number[], refused?: number): Promise<GroupKey> {
    group += 1;
    const key = aKey(group);
    for (const sequence of sequences)
      await put(key, sequence, sequence === refused ? 'x'.repeat(1_100_000) : undefined);
    return key;
  }

  async function readGroup(id: number): Promise<void> {
    const reading = read(aRow((row) => Object.assign(row, { id })));
    const compared = compareReading(undefined, reading, OPTIONS);
    if (compared.verdict !== 'differs') throw new Error(`There is nothing to save: ${compared.verdict}.`);
    await snapshots.save(aKey(id), compared.save);
  }

  return {
    async before(command) {
      if (command.includes('forget')) {
        group += 1;
        await readGroup(group);
        return { ...common, group: String(group) };
      }
      if (command.includes('returns-feed move')) {
        group += 1;
        return { ...common, ...(await createMovableDirectory(`moved-${group}`)) };
      }
      if (command.includes('release')) {
        group += 1;
        const source = `shop-${group}`;
        await states.save(aState(source, 1, { mintedIn }), 0);
        return { ...common, source };
      }
      if (command.includes('sources restore')) {
        const version = (await states.load('globex'))?.version ?? 0;
        await states.save(aState('globex', version + 1, { mintedIn: 'elsewhere' }), version);
        return { ...common, source: 'globex' };
      }
      if (command.includes('sources add')) return { ...common, source: 'globex' };
      if (/sources (set|pause|resume|rotate-token|remove)/.test(command)) {
        await addEntry('globex');
        return { ...common, source: 'globex' };
      }
      if (command.includes('webhooks rotate')) forgetRotations();
      if (/webhooks (pause|resume)/.test(command)) {
        const { version = 0, ...known } = (await endpoints.load('Wms')) ?? newEndpoint(0);
        const isPaused = command.includes('resume');
        await endpoints.save('Wms', { ...known, version, isPaused }, version);
      }
      if (command.includes('replay')) {
        const key = await newGroup([1, 2]);
        for (const name of DESTINATIONS) await marks.advance(name, key, 2);
        return { ...common, id: String(key.group), group: String(key.group) };
      }
      if (command.includes('--skip')) {
        const key = await newGroup([1, 2, 3], 2);
        return { ...common, group: String(key.group), number: '2' };
      }
      if (command.includes('redrive')) {
        const key = await newGroup([1, 2]);
        for (const name of DESTINATIONS)
          await marks.noteBehind(name, key, { sequence: 1, reason: 'too large' });
        return { ...common, group: String(key.group) };
      }
      return common;
    },
  };
}
