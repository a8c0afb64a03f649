import { withStates } from '../../../local/operating/open-states.ts';

/** Leaves the state as a tick by a clock would that is so far ahead. */
export async function moveLastSlot(dataDir: string, aheadMs: number): Promise<void> {
  await withStates({ data: dataDir }, async ({ states, stateOf }) => {
    const state = await stateOf('acme');
    const lastSlot = state.lastSlot + aheadMs;
    await states.save({ ...state, version: state.version + 1, lastSlot }, state.version);
  });
}
