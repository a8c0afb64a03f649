import { describe, expect, it } from 'vitest';
import { queueFeedReport } from '../../../shared/reporting/feed-reports.ts';
import { createSourceCell, LeaseLost } from '../../../shared/source/source-cell.ts';
import { createMemoryLedger } from '../../fakes/memory-ledger.ts';
import { createMemorySourceStates } from '../../fakes/memory-source-states.ts';
import { aState } from '../a-state.ts';

function setUp() {
  const states = createMemorySourceStates();
  const ledger = createMemoryLedger();
  const cell = createSourceCell(states, ledger);
  cell.begin(aState());
  const feed = () => ledger.read({ source: 'acme', generation: cell.state.generation, group: 'feed' }, 0, 10);
  return { states, ledger, cell, feed };
}

const drift = { type: 'drift' as const, findings: ['shipment.status=LOST'] };

describe('the state of a tick', () => {
  it('is saved on condition that no other process saved it', async () => {
    const { states, cell } = setUp();
    await cell.save();
    await states.save({ ...cell.state, version: 2 }, 1);

    await expect(cell.save()).rejects.toThrow(LeaseLost);
  });

  it('publishes its reports once it is saved, each once', async () => {
    const { cell, feed } = setUp();
    cell.update((state) => queueFeedReport(state, 'feed.drift_detected', drift, 0));

    await cell.save();
    await cell.save();

    expect(await feed()).toHaveLength(1);
    expect(cell.state).toMatchObject({ feedReports: [], feedSequence: 1, version: 2 });
  });

  it('keeps its reports for the process that finds them if they could not be published', async () => {
    const { cell, ledger, states, feed } = setUp();
    cell.update((state) => queueFeedReport(state, 'feed.drift_detected', drift, 0));
    const failing = { ...ledger, append: () => Promise.reject(new Error('the process ended here')) };
    const dying = createSourceCell(states, failing);
    dying.begin(cell.state);
    await expect(dying.save()).rejects.toThrow('ended here');

    const found = await states.load('acme');
    cell.begin(found ?? aState());
    await cell.save();

    expect(await feed()).toHaveLength(1);
  });

  it('leaves changes that were made during a save to the next one', async () => {
    const { cell, states } = setUp();

    const saving = cell.save();
    cell.update((state) => ({ ...state, removals: 3 }));
    await saving;

    expect([cell.state.removals, (await states.load('acme'))?.removals]).toEqual([3, 0]);
  });

  it.each([
    ['a new epoch', { lease: { owner: 'b', epoch: 9, expiresAt: 0 } }],
    ['a new generation', { generation: 'zz' }],
  ])('is lost once another process has it: %s', async (_, changes) => {
    const { states, cell } = setUp();
    await cell.save();
    await cell.confirm();
    await states.save({ ...cell.state, ...changes, version: 2 }, 1);

    await expect(cell.confirm()).rejects.toThrow(LeaseLost);
  });
});
