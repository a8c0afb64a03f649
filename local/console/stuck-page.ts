// The page "Stuck": sources and destinations that need an operator, by cause, each with the command to run.
import type { BehindGroup } from '../../functions/adapters/dynamodb-behind.ts';
import { isOwnGroup } from '../../shared/contract/event-id.ts';
import type { DestinationLabels } from '../../shared/deployment/destinations.ts';
import { ORDERED_TRIES } from '../../shared/deployment/ordered-tries.ts';
import { describeCondition } from '../../shared/guarding/describe-hold.ts';
import { formatInstant } from '../../shared/instant.ts';
import { counted } from '../cli/counts.ts';
import type { Moments } from '../cli/moments.ts';
import { ADOPT_CONDITION } from '../operating/format-hold.ts';
import { nameOfArn, type SubscriberStatus } from '../operating/list-subscribers.ts';
import type { HoldStatus, SetAsideStatus, SourceStatus } from '../operating/source-status.ts';
import { type ConsoleFeed, pathOfReturn } from './console-feed.ts';
import type { ConsolePage } from './console-server.ts';
import { type Html, html } from './html.ts';
import { badge, command, problemList, table } from './layout.ts';
import {
  loadOverview,
  type OverviewSource,
  type OverviewWebhook,
  type RelayedDestination,
} from './load-overview.ts';
import { numberOf } from './overview-destinations.ts';
import { actionButton } from './stuck-actions.ts';

const EVERY_MS = 5_000;
/** Maximum number of returns that are listed for each cause. */
const SHOWN = 20;

export function createStuckPage(feed: ConsoleFeed): ConsolePage {
  return {
    path: '/stuck',
    updates: { everyMs: EVERY_MS },
    async render({ fields }) {
      const { sources, relays, subscribers, webhooks, problems } = await loadOverview(feed);
      const causes = [
        ...(sources ?? []).flatMap((source) => causesOfSource(source, feed)),
        ...[...relays, ...webhooks].flatMap((destination) => causesOfDestination(destination, feed)),
        ...webhooks.flatMap((webhook) => causeOfWebhook(webhook, feed)),
        ...subscribers.subscribers.flatMap(causeOfSubscriber),
      ];
      const nothing = problems.length === 0 ? badge('good', 'Nothing is stuck') : 'Nothing else is stuck.';
      const body = html`
<h1>Stuck</h1>
${fields.done !== undefined && html`<p class="notice" role="status">${fields.done}</p>`}
${problemList(problems)}
${causes.length === 0 ? html`<p>${nothing}</p>` : causes}
<p class="dim">${feed.acts ? 'Buttons whose effect is permanent ask for confirmation first.' : 'Start the console with --act for buttons.'} Times in ${feed.moments.zone}.</p>`;
      return { title: 'Stuck', body };
    },
  };
}

function causesOfSource({ status }: OverviewSource, feed: ConsoleFeed): Html[] {
  const { source, held, setAside, places } = status;
  return [
    ...held.map((hold) => holdCause(source, hold, feed)),
    ...readingCause(status, feed.moments),
    ...(places.length === 0 ? [] : [placesCause(source, places, feed.moments)]),
    ...(setAside.length === 0 ? [] : [setAsideCause(source, setAside, feed.moments)]),
  ];
}

/** Why polls fail, or why there are none. `setAsideCause` and `placesCause` show what can't be read. */
function readingCause(
  { source, verdict, reasons, lastFailure, nextSteps }: SourceStatus,
  moments: Moments,
): Html[] {
  const others = reasons.filter(({ code }) => code !== 'unreadable' && code !== 'rows_fail');
  if (others.length === 0 && lastFailure === null) return [];
  const failure =
    lastFailure &&
    html`<li>${lastFailure.message} Since ${moments.withAge(lastFailure.since)}, ${numberOf(lastFailure.ticks, 'poll')}.</li>`;
  const steps = nextSteps.map(
    ({ text, command: toPaste }) => html`<p>${text} ${toPaste !== null && command(toPaste)}</p>`,
  );
  return [
    html`<h2>${badge('bad', verdict === 'stopped' ? 'Stopped' : 'Failing')} source ${source}</h2>
<ul>${failure}${others.map(({ message }) => html`<li>${message}</li>`)}</ul>${steps}`,
  ];
}

function holdCause(source: string, hold: HoldStatus, feed: ConsoleFeed): Html {
  const { number, message, consequence, since, samples, count, release, adopt } = hold;
  return html`<h2>${badge('bad', 'Held')} source ${source}, hold ${number}</h2>
<p>${message} ${consequence} Since ${feed.moments.withAge(since)}.</p>
${release !== null && html`<p>${describeCondition(hold)}, release it:</p><p>${command(release)}</p>`}
${adopt !== null && html`<p>${ADOPT_CONDITION}</p><p>${command(adopt)}</p>`}
${samples.length > 0 && html`<details id="samples-${source}-${number}"><summary>${samples.length} of ${count} held changes</summary>${sampleList(source, samples)}</details>`}
${release !== null && actionButton(feed, 'release', { source, hold: String(number) })}
${adopt !== null && actionButton(feed, 'adopt', { source, hold: String(number) })}`;
}

function placesCause(source: string, places: SourceStatus['places'], moments: Moments): Html {
  const rows = places
    .slice(0, SHOWN)
    .map(({ axis, from, to, until, reason }) => [
      `${axis} from ${moments.full(from)} to ${moments.full(to)}`,
      reason,
      moments.short(until),
    ]);
  return html`<h2>${badge('bad', 'Left out')} source ${source}: ${counted(places.length, 'time')}</h2>
<p>Every answer with the returns of these times fails. Report the reasons to the service's operators. The feed tries them again.</p>
${table('Left out', ['Returns', 'Reason', 'Until'], rows)}${more(places.length)}`;
}

function sampleList(source: string, samples: HoldStatus['samples']): Html {
  const rows = samples.map(({ groupId, what, before, after }) => [
    html`<a href="${pathOfReturn(source, groupId)}">${groupId}</a>`,
    what,
    `${before} → ${after}`,
  ]);
  return table(`Held changes of ${source}`, ['Return', 'Entity', 'Change'], rows);
}

function setAsideCause(source: string, groups: readonly SetAsideStatus[], moments: Moments): Html {
  const rows = groups
    .slice(0, SHOWN)
    .map(({ returnGroupId, reason, since }) => [
      returnGroupId === null
        ? 'a row without an id'
        : html`<a href="${pathOfReturn(source, returnGroupId)}">${returnGroupId}</a>`,
      reason,
      moments.withAge(since),
    ]);
  return html`<h2>${badge('bad', 'Set aside')} source ${source}: ${counted(groups.length, 'return')}</h2>
<p>Report the reasons to the service's operators. The feed reads these returns again, and publishes their changes then.</p>
${table('Set aside', ['Return', 'Reason', 'Since'], rows)}${more(groups.length)}`;
}

/** Shows groups with the same reason together: they need the same correction. */
function causesOfDestination(
  { labels, behind }: Pick<RelayedDestination, 'labels' | 'behind'>,
  feed: ConsoleFeed,
): Html[] {
  if (behind === null) return [];
  const byReason = new Map<string, BehindGroup[]>();
  for (const group of behind.groups) {
    const reason = group.behind?.replace(/^\d+: /, '') ?? '';
    byReason.set(reason, [...(byReason.get(reason) ?? []), group]);
  }
  return [...byReason].map(([reason, groups]) => behindCause(labels, reason, groups, behind.isCut, feed));
}

function behindCause(
  { name, title }: DestinationLabels,
  reason: string,
  groups: readonly BehindGroup[],
  isCut: boolean,
  feed: ConsoleFeed,
): Html {
  const count = `${isCut ? 'at least ' : ''}${numberOf(groups.length, 'return')}`;
  return html`<h2>${badge('bad', 'Behind')} ${title}: ${count}</h2>
<p>${reason}</p>
<p>Once the cause is corrected: ${command(`npx returns-feed redrive --to ${name}${feed.flags}`)}</p>
${table(
  `Behind at ${title}`,
  ['Return', 'Stopped at', 'Since', 'Actions'],
  groups.slice(0, SHOWN).map((group) => behindRow(group, name, feed)),
)}${more(groups.length)}`;
}

function behindRow(
  { key, behind, failingSince }: BehindGroup,
  name: string,
  feed: ConsoleFeed,
): readonly (Html | string)[] {
  const { source, group, generation } = key;
  const stoppedAt = /^\d+/.exec(behind ?? '')?.[0] ?? '';
  const fields = { source, group: String(group), generation, to: name };
  return [
    isOwnGroup(group)
      ? `the feed's own events of ${source}`
      : html`<a href="${pathOfReturn(source, group)}">${group}</a> of ${source}`,
    stoppedAt === '' ? '' : `event ${stoppedAt}`,
    failingSince === undefined ? '' : feed.moments.withAge(formatInstant(failingSince)),
    html`${actionButton(feed, 'redrive', fields)}${actionButton(feed, 'skip', { ...fields, skip: stoppedAt })}`,
  ];
}

function causeOfWebhook({ status }: OverviewWebhook, feed: ConsoleFeed): Html[] {
  const { webhook, state, needsAttention, lastFailure, failingSince, failures } = status;
  if (!needsAttention) return [];
  const since = failingSince === null ? '' : ` since ${feed.moments.withAge(failingSince)}`;
  if (state === 'paused')
    return [
      html`<h2>${badge('bad', 'Paused')} webhook ${webhook}</h2><p>Nothing is posted. ${command(`npx returns-feed webhooks resume ${webhook}${feed.flags}`)}</p>
${actionButton(feed, 'resume', { webhook })}`,
    ];
  return [
    html`<h2>${badge('bad', 'Failing')} webhook ${webhook}</h2>
<p>${failures} attempts in a row failed${since}: ${lastFailure ?? 'unknown'}. Its events are posted in order once it accepts them.</p>
${feed.deployment !== undefined && html`<p>Once the receiver is repaired: ${command(`npx returns-feed webhooks test ${webhook}${feed.flags}`)}</p>`}`,
  ];
}

function causeOfSubscriber({ queue, deadLetters, deadLetterArn }: SubscriberStatus): Html[] {
  if (deadLetters === null || deadLetters === 0 || deadLetterArn === null) return [];
  return [
    html`<h2>${badge('bad', 'Dead letters')} subscriber ${queue}: ${numberOf(deadLetters, 'event')}</h2>
<p>Each failed ${ORDERED_TRIES} times and is in the queue ${nameOfArn(deadLetterArn)} (docs/runbook.md, OrderedDeadLetters). Once the subscriber is repaired, move them back:</p>
<p>${command(`aws sqs start-message-move-task --source-arn ${deadLetterArn}`)}</p>`,
  ];
}

function more(count: number): Html | false {
  return count > SHOWN && html`<p>and ${count - SHOWN} more</p>`;
}
