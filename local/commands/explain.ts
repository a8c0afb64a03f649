// `explain`: what the feed knows about a return group, and its events.
import { Command } from 'commander';
import type { SourceState } from '../../shared/source/source-state.ts';
import { layoutOf } from '../cli/layout.ts';
import { addMomentsOption, type MomentsFlags, momentsOf } from '../cli/moments.ts';
import { addPlaceOptions } from '../cli/place-options.ts';
import { createPrinter } from '../cli/print.ts';
import { TOKEN_VARIABLE } from '../cli/service-options.ts';
import { explainGroup, narrowTo } from '../operating/explain-group.ts';
import { formatExplanation } from '../operating/format-explanation.ts';
import { type NamedReturn, nameReturn } from '../operating/name-return.ts';
import type { OpenFeed, PlaceFlags } from '../place/open-feed.ts';
import { withFeed } from '../place/with-feed.ts';

const HELP = `
Name the return by the id of its group, by a tracking number or an order name (--tracking, --order,
or in place of the id), or by the id of an event or an entity. Ids are looked up in the tables. An
entity is searched in the 2,000 newest groups. For tracking numbers and order names the command asks
the service, within the budget, one search at a time. With --data this needs the token in
${TOKEN_VARIABLE}, which is sent only to the address
that "watch" read with it. With --stack the poller asks, which has the token.

Prints the group as it was last read, the entities that are missing from it, the fields that were
filled in, the last event sent to each destination and each webhook, and the group's events that the
ledger still holds (30 days). Each event has its number, the time by which the change was visible, the
kind of reading that found it, and what changed.

Examples:
  returns-feed explain --tracking 1Z999AA10123456784 --stack ReturnsFeed
  returns-feed explain --order '#1042' --data state
  returns-feed explain acme '#1042' --data state
  returns-feed explain acme 184467 shipment/77120 --data state
  returns-feed explain acme_mi8x2k_184467_12 --data state`;

interface ExplainFlags extends PlaceFlags, MomentsFlags {
  readonly order?: string;
  readonly tracking?: string;
  readonly json: boolean;
}

export function createExplainCommand(): Command {
  const command = new Command('explain')
    .description('Show what the feed knows about a return group, and its events.')
    .argument('[source]', 'the name of the source; or the id of an event, without more arguments')
    .argument('[return]', 'the id of the return group, its order name or tracking number')
    .argument('[entity]', 'show only this entity, for instance shipment/77120')
    .option('--order <name>', 'find the return by its order name, in the source or in all sources')
    .option('--tracking <number>', 'find the return by a tracking number, in the source or in all sources');
  return addMomentsOption(addPlaceOptions(command))
    .option('--json', 'print one JSON object, with the complete events', false)
    .addHelpText('after', HELP)
    .action((_source, _return, _entity, flags: ExplainFlags, { args }: Command) => explain(args, flags));
}

async function explain(
  words: readonly string[],
  { json, order, tracking, utc, ...place }: ExplainFlags,
): Promise<void> {
  await withFeed(
    place,
    async (feed) => {
      const named = await nameReturn(feed, { words, order, tracking });
      const { returnGroupId, entity } = named;
      const webhooks = await feed.webhooks().catch((error: unknown) => {
        feed.log.warn("The webhooks are left out: they can't be listed.", { error: error as Error });
        return [];
      });
      const whole = await explainGroup({ ...feed, webhooks }, await stateFor(feed, named), returnGroupId);
      const explanation = entity === undefined ? whole : narrowTo(whole, entity);
      if (whole.snapshot === null && whole.setAside === null && whole.events.length === 0)
        throw new Error(describeUnknown(named, feed.flags));
      if (
        explanation.snapshot?.entities.length === 0 &&
        explanation.events.length === 0 &&
        entity !== undefined
      )
        throw new Error(
          `Return group ${returnGroupId} has no entity ${entity}, and the ledger holds no event of it.`,
        );
      const lines = json
        ? [JSON.stringify(explanation, null, 2)]
        : formatExplanation(explanation, momentsOf({ utc }), layoutOf(process.stdout));
      await createPrinter(process.stdout).line(lines.join('\n'));
    },
    'if possible',
  );
}

/** The source's state, in the generation of the event that names the group. */
async function stateFor(
  feed: OpenFeed,
  { source, generation }: Pick<NamedReturn, 'source' | 'generation'>,
): Promise<SourceState> {
  const state = await feed.stateOf(source);
  if (generation === undefined || generation === state.generation) return state;
  if (state.earlierGenerations.includes(generation)) return { ...state, generation };
  throw new Error(
    `The event is of a generation of source ${source} that this state does not know (${generation}): ` +
      'it is of another deployment or of another data directory.',
  );
}

function describeUnknown({ source, returnGroupId, isAtService }: NamedReturn, flags: string): string {
  if (isAtService)
    return (
      `The service has return group ${returnGroupId} in source ${source}, but the feed has not read it yet. ` +
      `How far the baseline is: npx --no returns-feed status${flags}`
    );
  return (
    `The feed knows no return group ${returnGroupId} of source ${source}. If ${returnGroupId} is an order name or a ` +
    'tracking number, give it with --order or --tracking.'
  );
}
