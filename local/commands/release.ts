// `release`: acknowledges what a guard holds, by the number that `status` and the feed's own events name it with.
import { Command } from 'commander';
import { describeHold } from '../../shared/guarding/describe-hold.ts';
import { standingHolds } from '../../shared/guarding/holds.ts';
import { MILLISECOND } from '../../shared/instant.ts';
import { parseCount } from '../cli/durations.ts';
import { UsageError } from '../cli/failures.ts';
import { createPrinter } from '../cli/print.ts';
import type { PlaceFlags } from '../operating/open-place.ts';
import { openStates } from '../operating/open-states.ts';
import { addPlaceOptions } from '../operating/place-options.ts';
import { type Released, saveRelease } from '../operating/save-release.ts';

interface ReleaseFlags extends PlaceFlags {
  readonly source?: string;
  readonly hold: number;
}

const WHAT_IT_DOES = `
A hold is released by its number, as "status" shows it, and only as large as it is: one
that has grown to more than twice its size has another number. What was held is told by
the next tick, and by the walks that it begins. Releasing twice does nothing more.`;

export function createReleaseCommand(): Command {
  const command = new Command('release')
    .description('Acknowledge what a guard holds: it is right, and is to be told.')
    .requiredOption('--hold <number>', 'the number of the hold', parseCount)
    .option('--source <name>', 'the source; may be left out where there is but one');
  return addPlaceOptions(command).addHelpText('after', WHAT_IT_DOES).action(release);
}

async function release({ source, hold, ...place }: ReleaseFlags): Promise<void> {
  const open = await openStates(place);
  try {
    const [name, other] = await open.sources(source);
    if (name === undefined) throw new Error('There is no source yet.');
    if (other !== undefined)
      throw new UsageError('There are several sources: say which one with --source NAME.');
    const released = await saveRelease(open.states, name, hold, Date.now() * MILLISECOND);
    await createPrinter(process.stdout).line(describeOutcome(released, name, hold));
  } finally {
    await open.close();
  }
}

/** @throws where what was asked for is not what is held */
function describeOutcome({ release: done, state }: Released, source: string, number: number): string {
  const name = `hold ${number} of source ${source}`;
  if (done.outcome === 'released')
    return `released: ${name}. ${describeHold(done.hold)} The next tick goes on.`;
  if (done.outcome === 'released_before') return `${name} was released before`;
  const held = standingHolds(state).map((hold) => `${hold.number}: ${describeHold(hold)}`);
  const now = held.length === 0 ? 'Nothing is held.' : `Held now: ${held.join(' ')}`;
  if (done.outcome === 'unknown') throw new UsageError(`There never was a ${name}. ${now}`);
  if (held.length > 0) throw new Error(`The ${name} is over. ${now}`);
  return `${name} is over, nothing is held`;
}
