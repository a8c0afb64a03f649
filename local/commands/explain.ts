// `explain`: what the feed knows of a return group, and how it came to know it.
import { Command } from 'commander';
import { parseCount } from '../cli/durations.ts';
import { createPrinter } from '../cli/print.ts';
import { explainGroup, narrowTo } from '../operating/explain-group.ts';
import { formatExplanation } from '../operating/format-explanation.ts';
import { withFeed } from '../operating/open-feed.ts';
import type { PlaceFlags } from '../operating/open-place.ts';
import { addPlaceOptions } from '../operating/place-options.ts';

const WHAT_IT_SHOWS = `
The group as it was last read, what is missing from it or was filled in, how far each destination
got, and its events as far back as the ledger keeps them (30 days): each with its number, the time
by which it had shown, the pass that found it, and what changed. It asks the service nothing.`;

export function createExplainCommand(): Command {
  const command = new Command('explain')
    .description('Show what is known of a return group, and its events.')
    .argument('<source>', 'the name of the source')
    .argument('<group>', 'the id of the return group', parseCount)
    .argument('[entity]', 'one of its entities, for instance shipment/77120');
  return addPlaceOptions(command)
    .option('--json', 'one JSON object, events whole', false)
    .addHelpText('after', WHAT_IT_SHOWS)
    .action(explain);
}

async function explain(
  source: string,
  groupId: number,
  entity: string | undefined,
  { json, ...place }: PlaceFlags & { readonly json: boolean },
): Promise<void> {
  await withFeed(place, async (feed) => {
    const whole = await explainGroup(feed, await feed.stateOf(source), groupId);
    const explanation = entity === undefined ? whole : narrowTo(whole, entity);
    if (whole.snapshot === null && whole.setAside === null && whole.events.length === 0)
      throw new Error(`Nothing is known of a return group ${groupId} of source ${source}.`);
    if (
      explanation.snapshot?.entities.length === 0 &&
      explanation.events.length === 0 &&
      entity !== undefined
    )
      throw new Error(
        `Return group ${groupId} has no entity ${entity}, and never had one that is still known.`,
      );
    const lines = json ? [JSON.stringify(explanation, null, 2)] : formatExplanation(explanation, Date.now());
    await createPrinter(process.stdout).line(lines.join('\n'));
  });
}
