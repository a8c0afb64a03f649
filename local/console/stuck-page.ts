// The page "Stuck": everything that needs an operator, one part for each cause, with the command to run.
import { isOwnGroup } from '../../shared/contract/event-id.ts';
import { counted } from '../cli/counts.ts';
import type { Moments } from '../cli/moments.ts';
import type { BehindReturn } from '../status/destination-status.ts';
import { headlineOf, sentenceOf } from '../status/format-status.ts';
import type { Concern, FeedVerdict } from '../status/judge-feed.ts';
import type { Overview } from '../status/load-overview.ts';
import type { HoldStatus, SourceStatus } from '../status/source-status.ts';
import { type ConsoleFeed, pathOfReturn } from './console-feed.ts';
import type { ConsolePage } from './console-server.ts';
import { documentLink } from './documents.ts';
import { type Html, html } from './html.ts';
import { badge, nextStep, problemList, table } from './layout.ts';
import { partOf } from './paging.ts';
import { actionButton } from './stuck-actions.ts';

const EVERY_MS = 5_000;
/** Maximum number of returns that are listed for each cause. */
const SHOWN = 20;
/** Held changes that are shown. */
const EXAMPLES = 3;

export function createStuckPage(feed: ConsoleFeed): ConsolePage {
  return {
    path: '/stuck',
    updates: { everyMs: EVERY_MS },
    async render({ fields }) {
      const { overview, verdict } = await feed.judge();
      const { concerns } = verdict;
      const { entries, links } = partOf(concerns, fields, { path: '/stuck', id: 'main' });
      const buttons = feed.acts
        ? 'Buttons whose effect is permanent ask for confirmation first.'
        : 'Start the console with --act for buttons.';
      const body = html`
<h1>Stuck</h1>
${fields.done !== undefined && html`<p class="notice good" role="status">${fields.done}</p>`}
${problemList(overview.problems)}
${concerns.length === 0 ? nothingStuck(overview, verdict, feed.moments) : entries.map((concern) => cause(concern, feed))}${links}
<p class="dim">${concerns.length > 0 && `${buttons} `}Times in ${feed.moments.zone}.</p>`;
      return { title: 'Stuck', body };
    },
  };
}

function nothingStuck({ sources }: Overview, verdict: FeedVerdict, moments: Moments): Html {
  if (sources === null) return html`<p>It is not known whether anything is stuck.</p>`;
  if (verdict.unknown.length > 0) return html`<p>Nothing else is stuck.</p>`;
  const [tone, text] =
    verdict.verdict === 'new'
      ? (['busy', headlineOf(verdict, moments)] as const)
      : (['good', 'Nothing is stuck'] as const);
  return html`<section class="verdict ${tone}" aria-label="Verdict"><p>${badge(tone, text)}</p></section>`;
}

const TITLES: Readonly<Record<Concern['kind'], string>> = {
  stopped: 'Stopped',
  failing: 'Failing',
  held: 'Held',
  left_out: 'Left out',
  set_aside: 'Set aside',
  receiver_failing: 'Failing',
  receiver_paused: 'Paused',
  receiver_dropped: 'Left out',
  behind: 'Behind',
  dead_letters: 'Dead letters',
  reader_behind: 'Behind',
};

function cause(concern: Concern, feed: ConsoleFeed): Html {
  const { kind, subject, nextSteps } = concern;
  const number = kind === 'held' ? `, hold ${concern.hold.number}` : '';
  return html`<section class="cause"><h2>${badge('bad', `${TITLES[kind]}:`)} ${subject}${number}</h2>
${kind === 'held' ? holdFacts(concern.source, concern.hold, feed.moments) : html`<p>${sentenceOf(concern, feed.moments)}</p>`}
${nextSteps.map(nextStep)}${detailsOf(concern, feed)}<p>More: ${documentLink(kind)}</p></section>`;
}

function detailsOf(concern: Concern, feed: ConsoleFeed): Html | false {
  switch (concern.kind) {
    case 'held': {
      const { number, release, adopt } = concern.hold;
      const fields = { source: concern.source, hold: String(number) };
      return html`${release !== null && actionButton(feed, 'release', fields)}${adopt !== null && actionButton(feed, 'adopt', fields)}`;
    }
    case 'left_out':
      return placesTable(concern.status, feed.moments);
    case 'set_aside':
      return setAsideTable(concern.status, feed.moments);
    case 'receiver_paused':
      return actionButton(feed, 'resume', { webhook: concern.destination.destination });
    case 'receiver_failing':
    case 'behind':
      return behindTable(concern, feed);
    default:
      return false;
  }
}

function holdFacts(source: string, hold: HoldStatus, moments: Moments): Html {
  const { message, consequence, since } = hold;
  const examples = hold.samples.slice(0, EXAMPLES);
  return html`<dl><dt>What</dt><dd>${message}</dd>
${examples.length > 0 && html`<dt>For instance</dt><dd>${examples.map((each) => html`<a href="${pathOfReturn(source, each.groupId)}">${each.groupId}</a>: ${each.what} ${each.before} → ${each.after}<br>`)}</dd>`}
<dt>Meanwhile</dt><dd>${consequence}</dd><dt>Since</dt><dd>${moments.withAge(since)}</dd></dl>`;
}

function placesTable({ places }: SourceStatus, moments: Moments): Html {
  const rows = places
    .slice(0, SHOWN)
    .map(({ axis, from, to, until, reason }) => [
      `${axis} from ${moments.full(from)} to ${moments.full(to)}`,
      reason,
      moments.short(until),
    ]);
  return html`${table('Left out', ['Returns', 'Reason', 'Until'], rows)}${more(places.length)}`;
}

function setAsideTable({ source, setAside }: SourceStatus, moments: Moments): Html {
  const rows = setAside
    .slice(0, SHOWN)
    .map(({ returnGroupId, reason, since }) => [
      returnGroupId === null
        ? 'a row without an id'
        : html`<a href="${pathOfReturn(source, returnGroupId)}">${returnGroupId}</a>`,
      reason,
      moments.withAge(since),
    ]);
  return html`${table('Set aside', ['Return', 'Reason', 'Since'], rows)}${more(setAside.length)}`;
}

type BehindConcern = Extract<
  Concern,
  { readonly kind: 'behind' | 'receiver_failing' | 'receiver_paused' | 'receiver_dropped' }
>;

function behindTable({ destination, returns, kind }: BehindConcern, feed: ConsoleFeed): Html | false {
  if (returns.length === 0) return false;
  const { destination: name, title, failures, waiting, isCut } = destination;
  return html`${
    kind === 'receiver_failing' &&
    html`<p>${waiting !== null && `Waiting: ${counted(waiting, 'return')}. `}Tried: ${isCut ? 'at least ' : ''}${counted(returns.length, 'return')}, with ${counted(failures, 'failed attempt')} in a row. Each return gets its events in order once the first is accepted.</p>`
  }
${table(
  `Behind at ${title}`,
  ['Return', 'Stopped at', 'Since', ...(feed.acts ? ['Action', 'Without it'] : [])],
  returns.slice(0, SHOWN).map((each) => behindRow(each, name, feed)),
)}${more(returns.length)}${returns.length > 1 && actionButton(feed, 'redrive-all', { to: name })}`;
}

function behindRow(
  { source, generation, group, event, since }: BehindReturn,
  name: string,
  feed: ConsoleFeed,
): readonly (Html | string)[] {
  const fields = { source, group: String(group), generation, to: name };
  return [
    isOwnGroup(group)
      ? `the feed's own events of ${source}`
      : html`<a href="${pathOfReturn(source, group)}">${group}</a> of ${source}`,
    `event ${event}`,
    since === null ? '–' : feed.moments.withAge(since),
    ...(feed.acts
      ? [
          html`${actionButton(feed, 'redrive', fields)}`,
          html`${actionButton(feed, 'skip', { ...fields, skip: String(event) })}`,
        ]
      : []),
  ];
}

function more(count: number): Html | false {
  return count > SHOWN && html`<p>and ${count - SHOWN} more</p>`;
}
