import { describe, expect, it } from 'vitest';
import { saveRelease } from '../../../local/operating/save-release.ts';
import { aState } from '../../contract/sample-states.ts';
import { createMemorySourceStates } from '../../fakes/memory-source-states.ts';

const NOW = 1_763_633_703_000_000;

async function withHold() {
  const states = createMemorySourceStates();
  await states.save(aState('acme'), 0);
  return states;
}

describe('a release', () => {
  it('is saved once, on the state that it was made from', async () => {
    const states = await withHold();

    const outcomes = [
      await saveRelease(states, 'acme', 7, NOW),
      await saveRelease(states, 'acme', 7, NOW + 1),
    ];

    expect(outcomes.map(({ release }) => release.outcome)).toEqual(['released', 'released_before']);
    expect(await states.load('acme')).toMatchObject({
      version: 2,
      holds: [{ number: 7, phase: 'publishing', phaseSince: NOW }],
    });
  });

  it("is repeated on a tick's state if that tick saved first", async () => {
    const states = await withHold();
    let isFirst = true;
    const overtaken = {
      load: states.load,
      async save(...[state, version]: Parameters<typeof states.save>) {
        if (isFirst) await states.save(aState('acme', 2, { limit: 50 }), 1);
        isFirst = false;
        return states.save(state, version);
      },
    };

    const { release } = await saveRelease(overtaken, 'acme', 7, NOW);

    expect(release.outcome).toBe('released');
    expect(await states.load('acme')).toMatchObject({ version: 3, limit: 50 });
  });

  it('is recognised as done if its answer was lost', async () => {
    const states = await withHold();
    const lost = {
      load: states.load,
      async save(...[state, version]: Parameters<typeof states.save>) {
        await states.save(state, version);
        throw new Error('timeout');
      },
    };
    await expect(saveRelease(lost, 'acme', 7, NOW)).rejects.toThrow('timeout');

    const { release } = await saveRelease(states, 'acme', 7, NOW + 1);

    expect(release.outcome).toBe('released_before');
  });

  it('adopts only a mass change', async () => {
    const states = await withHold();
    const removals = await saveRelease(states, 'acme', 7, NOW, 'adopt');
    const [hold] = aState('acme').holds;
    if (hold === undefined) throw new Error('The sample state has no hold.');
    await states.save(aState('acme', 2, { holds: [{ ...hold, kind: 'mass_change' }] }), 1);

    const massChange = await saveRelease(states, 'acme', 7, NOW, 'adopt');

    expect([removals, massChange].map(({ release }) => release.outcome)).toEqual([
      'not_adoptable',
      'released',
    ]);
    expect(await states.load('acme')).toMatchObject({ version: 3, holds: [{ phase: 'adopting' }] });
  });

  it('of a source without a state fails', async () => {
    await expect(saveRelease(createMemorySourceStates(), 'acme', 7, NOW)).rejects.toThrow('no state');
  });
});
