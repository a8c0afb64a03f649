// Quick ticks that find nothing new write nothing to a source's state. When they last read it completely is in the notes
// for the dispatcher, from which `status` and the console learn it.
import type { Dispatches } from '../../functions/adapters/dynamodb-dispatches.ts';
import type { Progress } from '../../functions/adapters/dynamodb-progress.ts';
import { MILLISECOND } from '../../shared/instant.ts';
import type { Clock } from '../../shared/ports.ts';
import { noteQuiet } from '../../shared/source/note-quiet.ts';
import type { SourceState } from '../../shared/source/source-state.ts';

export interface QuietPolls {
  readonly dispatches: Pick<Dispatches, 'load'>;
  readonly progress: Pick<Progress, 'readAll'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** The states with the complete polls that they do not show. */
export async function withQuietPolls(
  { dispatches, progress, clock }: QuietPolls,
  states: readonly SourceState[],
): Promise<SourceState[]> {
  const { minutes = [], known = {} } = (await dispatches.load()) ?? {};
  const notes = await progress.readAll(minutes);
  return states.map((state) => {
    const { source } = state;
    const found = [known[source], ...(notes.get(source) ?? [])].flatMap((each) => each?.quietAt ?? []);
    // The clock of the poller may be ahead of this one.
    const now = Math.max(clock.now(), ...found.map((at) => at * MILLISECOND));
    return noteQuiet(state, found.length === 0 ? undefined : Math.max(...found), now);
  });
}
