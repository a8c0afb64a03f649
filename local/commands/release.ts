// `release`: releases a guard's hold by its number, which `status` and the feed's own events show.
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

const HELP = `
"status" shows the number of each hold. A release covers the hold at its present size: a hold that
has grown to more than twice its size gets a new number. The next tick, and the walks that it
starts, publish the held changes. Releasing a hold again has no effect.`;

export function createReleaseCommand(): Command {
  const command = new Command('release')
    .description('Release a hold of a guard: confirm that the held changes are right, and publish them.')
    .requiredOption('--hold <number>', 'the number of the hold', parseCount)
    .option('--source <name>', 'the source; optional if there is only one');
  return addPlaceOptions(command).addHelpText('after', HELP).action(release);
}

async function release({ source, hold, ...place }: ReleaseFlags): Promise<void> {
  const open = await openStates(place);
  try {
    const [name, other] = await open.sources(source);
    if (name === undefined) throw new Error('There is no source yet.');
    if (other !== undefined) throw new UsageError('There are several sources: name one with --source NAME.');
    const released = await saveRelease(open.states, name, hold, Date.now() * MILLISECOND);
    await createPrinter(process.stdout).line(describeOutcome(released, name, hold));
  } finally {
    await open.close();
  }
}

/** @throws UsageError for a number that no hold ever had, Error if that hold has ended and others stand */
function describeOutcome({ release: done, state }: Released, source: string, number: number): string {
  const name = `hold ${number} of source ${source}`;
  if (done.outcome === 'released')
    return `released: ${name}. ${describeHold(done.hold)} The next tick continues.`;
  if (done.outcome === 'released_before') return `${name} was released before`;
  const held = standingHolds(state).map((hold) => `${hold.number}: ${describeHold(hold)}`);
  const now = held.length === 0 ? 'Nothing is held.' : `Held now: ${held.join(' ')}`;
  if (done.outcome === 'unknown') throw new UsageError(`There never was a ${name}. ${now}`);
  if (held.length > 0) throw new Error(`The ${name} has ended. ${now}`);
  return `${name} has ended, nothing is held`;
}
