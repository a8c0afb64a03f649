// `explain`: what the feed knows about a return group, and the events that led there.
import { Command } from 'commander';
import { parseCount } from '../cli/durations.ts';
import { createPrinter } from '../cli/print.ts';
import { explainGroup, narrowTo } from '../operating/explain-group.ts';
import { formatExplanation } from '../operating/format-explanation.ts';
import { withFeed } from '../operating/open-feed.ts';
import type { PlaceFlags } from '../operating/open-place.ts';
import { addPlaceOptions } from '../operating/place-options.ts';

const HELP = `
Prints the group as it was last read, the entities that are missing from it, the fields that were
filled in, the last event sent to each destination and each webhook, and the group's events that the
ledger still holds (30 days). Each event has its number, the time by which the change was visible, the
pass that found it, and what changed. The command sends no request to the service.`;

export function createExplainCommand(): Command {
  const command = new Command('explain')
    .description('Show what the feed knows about a return group, and its events.')
    .argument('<source>', 'the name of the source')
    .argument('<group>', 'the id of the return group', parseCount)
    .argument('[entity]', 'show only this entity, for instance shipment/77120');
  return addPlaceOptions(command)
    .option('--json', 'print one JSON object, with the complete events', false)
    .addHelpText('after', HELP)
    .action(explain);
}

async function explain(
  source: string,
  groupId: number,
  entity: string | undefined,
  { json, ...place }: PlaceFlags & { readonly json: boolean },
): Promise<void> {
  await withFeed(place, async (feed) => {
    const webhooks = await feed.webhooks().catch((error: unknown) => {
      feed.log.warn('The webhooks are left out: they can not be listed.', { error: error as Error });
      return [];
    });
    const whole = await explainGroup({ ...feed, webhooks }, await feed.stateOf(source), groupId);
    const explanation = entity === undefined ? whole : narrowTo(whole, entity);
    if (whole.snapshot === null && whole.setAside === null && whole.events.length === 0)
      throw new Error(`The feed knows no return group ${groupId} of source ${source}.`);
    if (
      explanation.snapshot?.entities.length === 0 &&
      explanation.events.length === 0 &&
      entity !== undefined
    )
      throw new Error(
        `Return group ${groupId} has no entity ${entity}, and the ledger holds no event of it.`,
      );
    const lines = json ? [JSON.stringify(explanation, null, 2)] : formatExplanation(explanation, Date.now());
    await createPrinter(process.stdout).line(lines.join('\n'));
  });
}
