// `redrive`: retries groups that stopped at an event that a destination rejected, or skips that event.
import { Command, InvalidArgumentError } from 'commander';
import { FEED_GROUP } from '../../shared/contract/event-id.ts';
import { RELAY_NAMES } from '../../shared/deployment/destinations.ts';
import type { GroupKey } from '../../shared/ports.ts';
import { confirm, yesOption } from '../cli/confirm.ts';
import { parseCount, parseGroupId } from '../cli/durations.ts';
import { NEEDS_ATTENTION, UsageError } from '../cli/failures.ts';
import { addPlaceOptions } from '../cli/place-options.ts';
import { createPrinter } from '../cli/print.ts';
import { printable } from '../cli/printable.ts';
import { type RedrivenGroup, redriveGroups } from '../operating/redrive-groups.ts';
import type { PlaceFlags } from '../place/open-feed.ts';
import { withFeed } from '../place/with-feed.ts';

interface RedriveFlags extends PlaceFlags {
  readonly to?: string;
  readonly skip?: number;
  readonly generation?: string;
  readonly yes: boolean;
}

const HELP = `
A group stops and is recorded as behind when a destination rejects the content of its next event, or
when that event can't be decoded. Without a group argument, redrive retries all recorded groups. It
runs the relay's code: it sends all unsent events, in order.
With --skip the group continues without the event of that number, if it is still stuck at that event.
The destination never gets the event, so the feed publishes feed.events_skipped on the bus; with --data
the output of "watch" has it. The command asks first.
After "sources restore", events of an earlier generation may still be on their way. If you name a
group, redrive tries each generation in which it is behind, and --skip skips the event in the
generation that is stuck at it. If several are stuck at the same number, select one with --generation.
With --data, redrive tries the output of "watch" and the forwarded URLs again: at once if "watch" runs,
otherwise at its next start.
With --to and the id of a webhook, redrive wakes the webhook's sender for the groups whose next event
fails. The sender tries them at once, in order. While the whole endpoint fails, the sender still keeps
to its schedule. Without --to, redrive retries only the ordered subscribers and the bus: the senders
of webhooks retry by themselves, for as long as the ledger keeps the event.
Examples:
  returns-feed redrive --stack ReturnsFeed
  returns-feed redrive acme 184467 --to ordered --skip 5 --stack ReturnsFeed
  returns-feed redrive acme --to Wms --stack ReturnsFeed
  returns-feed redrive acme 184467 --skip 5 --data state
Exit code: 0 all events are sent (for a webhook, and with --data: its sender is woken), 3 a group is
still behind, 1 the command failed, 2 invalid usage.`;

export function createRedriveCommand(): Command {
  const command = new Command('redrive')
    .description('Retry groups that are behind, or skip an event that a destination rejects.')
    .argument('[source]', 'only groups of this source')
    .argument('[group]', 'only this return group, even if it is not recorded as behind', parseGroup)
    .option(
      '--to <destination>',
      `only this destination: ${RELAY_NAMES.join(', ')} (default: all), or the id of a webhook; with --data: watch, or a forwarded URL as "status" names it`,
    )
    .option('--skip <number>', 'continue without the event of this number', parseCount)
    .option('--generation <name>', 'only this generation of the source')
    .addOption(yesOption('skip without asking'));
  return addPlaceOptions(command).addHelpText('after', HELP).action(runRedrive);
}

function parseGroup(text: string): GroupKey['group'] {
  if (text === FEED_GROUP) return FEED_GROUP;
  try {
    return parseGroupId(text);
  } catch {
    throw new InvalidArgumentError(`Give the id of a return group, or ${FEED_GROUP}.`);
  }
}

async function runRedrive(
  source: string | undefined,
  group: GroupKey['group'] | undefined,
  { to, skip, generation, yes, ...place }: RedriveFlags,
): Promise<void> {
  if (skip !== undefined && group === undefined)
    throw new UsageError('--skip needs a group: npx --no returns-feed redrive SOURCE GROUP --skip NUMBER.');
  if (generation !== undefined && group === undefined)
    throw new UsageError(
      '--generation needs a group: npx --no returns-feed redrive SOURCE GROUP --generation NAME.',
    );
  await withFeed(place, async (feed) => {
    const out = createPrinter(process.stdout);
    const request = { source, group, generation, to, skip };
    if (skip !== undefined && !yes)
      await confirm(
        `Skip event ${skip} of return ${group}? ${to ?? 'Each destination that is stuck at it'} never gets it.`,
      );
    let tried = 0;
    await redriveGroups(feed, request, async ({ outcome, isBehind, ...redriven }) => {
      tried += 1;
      await out.line(printable(`${redriven.destination}: ${nameOf(redriven)}: ${outcome}`));
      if (isBehind) process.exitCode = NEEDS_ATTENTION;
    });
    if (tried === 0) await out.line('nothing is behind');
  });
}

function nameOf({ key, isEarlier }: Pick<RedrivenGroup, 'key' | 'isEarlier'>): string {
  return `${key.source} ${key.group}${isEarlier ? ` (generation ${key.generation})` : ''}`;
}
