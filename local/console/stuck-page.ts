// What is stuck, grouped by cause, each with the command that helps.
import type { BehindGroup } from '../../functions/adapters/dynamodb-behind.ts';
import { isOwnGroup } from '../../shared/contract/event-id.ts';
import type { DestinationLabels } from '../../shared/deployment/destinations.ts';
import { formatInstant } from '../../shared/instant.ts';
import type { Moments } from '../cli/moments.ts';
import { type BehindGroups, findBehind } from '../operating/find-behind.ts';
import type { SubscriberStatus } from '../operating/list-subscribers.ts';
import type { HoldStatus, SetAsideStatus, SourceStatus } from '../operating/source-status.ts';
import { type ConsoleFeed, pathOfReturn } from './console-feed.ts';
import type { ConsolePage } from './console-server.ts';
import { type Html, html } from './html.ts';
import { badge, command, table } from './layout.ts';
import { loadOverview, type OverviewSource, type OverviewWebhook } from './load-overview.ts';
import { actionButton } from './stuck-actions.ts';

const EVERY_MS = 5_000;
/** Returns that are listed of each cause. */
const SHOWN = 20;

export function createStuckPage(feed: ConsoleFeed): ConsolePage {
  return {
    path: '/stuck',
    updates: { everyMs: EVERY_MS },
    async render({ fields }) {
      const [{ sources, subscribers, webhooks }, destinations] = await Promise.all([
        loadOverview(feed),
        loadBehind(feed),
      ]);
      const causes = [
        ...sources.flatMap((source) => causesOfSource(source, feed)),
        ...destinations.flatMap((destination) => causesOfDestination(destination, feed)),
        ...webhooks.flatMap((webhook) => causeOfWebhook(webhook, feed)),
        ...subscribers.flatMap((subscriber) => causeOfSubscriber(subscriber)),
      ];
      const body = html`
<h1>Stuck</h1>
${fields.done !== undefined && html`<p class="notice" role="status">${fields.done}</p>`}
${causes.length === 0 ? html`<p>${badge('good', 'Nothing is stuck')}</p>` : causes}
<p class="dim">${feed.acts ? 'Buttons act at once.' : 'Start the console with --act for buttons.'} Times in ${feed.moments.zone}.</p>`;
      return { title: 'Stuck', body };
    },
  };
}

function causesOfSource({ status }: OverviewSource, feed: ConsoleFeed): Html[] {
  const { source, held, setAside } = status;
  return [
    ...held.map((hold) => holdCause(source, hold, feed)),
    ...readingCause(status, feed.moments),
    ...(setAside.length === 0 ? [] : [setAsideCause(source, setAside, feed.moments)]),
  ];
}

/** Why polls fail or nothing polls. Rows that can't be read have a cause of their own. */
function readingCause(
  { source, verdict, reasons, lastFailure, nextSteps }: SourceStatus,
  moments: Moments,
): Html[] {
  const others = reasons.filter(({ code }) => code !== 'unreadable');
  if (others.length === 0 && lastFailure === null) return [];
  const failure =
    lastFailure &&
    html`<li>${lastFailure.message} Since ${moments.withAge(lastFailure.since)}, ${lastFailure.ticks} ${lastFailure.ticks === 1 ? 'poll' : 'polls'}.</li>`;
  const steps = nextSteps.map(
    ({ text, command: toPaste }) => html`<p>${text} ${toPaste !== null && command(toPaste)}</p>`,
  );
  return [
    html`<h2>${badge('bad', verdict === 'stopped' ? 'Stopped' : 'Failing')} source ${source}</h2>
<ul>${failure}${others.map(({ message }) => html`<li>${message}</li>`)}</ul>${steps}`,
  ];
}

function holdCause(source: string, hold: HoldStatus, feed: ConsoleFeed): Html {
  const { number, message, consequence, since, samples, suspects, command: release } = hold;
  return html`<h2>${badge('bad', 'Held')} source ${source}, hold ${number}</h2>
<p>${message} ${consequence} Since ${feed.moments.withAge(since)}. If this is right, release it:</p>
<p>${command(release)}</p>
${samples.length > 0 && html`<details id="samples-${source}-${number}"><summary>${samples.length} of ${suspects} held changes</summary>${sampleList(source, samples)}</details>`}
${actionButton(feed, 'release', { source, hold: String(number) })}`;
}

function sampleList(source: string, samples: HoldStatus['samples']): Html {
  const rows = samples.map(({ groupId, what, before, after }) => [
    html`<a href="${pathOfReturn(source, groupId)}">${groupId}</a>`,
    what,
    `${before} → ${after}`,
  ]);
  return table(`Held changes of ${source}`, ['Return', 'What', 'Change'], rows);
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
  return html`<h2>${badge('bad', 'Set aside')} source ${source}: ${groups.length} that can't be read</h2>
<p>The feed reads each again and publishes what changed once it is readable. The service has to mend the rows.</p>
${table('Set aside', ['Return', 'Reason', 'Since'], rows)}${more(groups.length)}`;
}

interface Behind {
  readonly destination: DestinationLabels;
  readonly isWebhook: boolean;
  readonly behind: BehindGroups;
}

async function loadBehind(feed: ConsoleFeed): Promise<Behind[]> {
  const webhooks = await feed.webhooks();
  const all = [
    ...feed.destinations.map((destination) => ({ destination, isWebhook: false })),
    ...webhooks.map((destination) => ({ destination, isWebhook: true })),
  ];
  return Promise.all(
    all.map(async (each) => ({ ...each, behind: await findBehind(feed, each.destination.mark) })),
  );
}

/** One cause for each reason: groups that stopped for the same reason need the same remedy. */
function causesOfDestination({ destination, behind }: Behind, feed: ConsoleFeed): Html[] {
  const byReason = new Map<string, BehindGroup[]>();
  for (const group of behind.groups) {
    const reason = group.behind?.replace(/^\d+: /, '') ?? '';
    byReason.set(reason, [...(byReason.get(reason) ?? []), group]);
  }
  return [...byReason].map(([reason, groups]) =>
    behindCause(destination, reason, groups, behind.isCut, feed),
  );
}

function behindCause(
  { name, title }: DestinationLabels,
  reason: string,
  groups: readonly BehindGroup[],
  isCut: boolean,
  feed: ConsoleFeed,
): Html {
  const count = `${isCut ? 'at least ' : ''}${groups.length} ${groups.length === 1 ? 'return' : 'returns'}`;
  return html`<h2>${badge('bad', 'Behind')} ${title}: ${count}</h2>
<p>${reason}</p>
${feed.isLocal ? html`<p>"watch" tries again by itself, and at each start.</p>` : html`<p>Once the cause is mended: ${command(`returns-feed redrive --to ${name}${feed.flags}`)}</p>`}
${table(
  `Behind at ${title}`,
  ['Return', 'Stopped at', 'Since', ''],
  groups.slice(0, SHOWN).map((group) => behindRow(group, name, feed)),
)}${more(groups.length)}`;
}

function behindRow(
  { key, behind, failingSince }: BehindGroup,
  name: string,
  feed: ConsoleFeed,
): readonly (Html | string)[] {
  const { source, group } = key;
  const stoppedAt = /^\d+/.exec(behind ?? '')?.[0] ?? '';
  const fields = { source, group: String(group), to: name };
  return [
    isOwnGroup(group)
      ? `the feed's own events of ${source}`
      : html`<a href="${pathOfReturn(source, group)}">${group}</a> of ${source}`,
    stoppedAt === '' ? '' : `event ${stoppedAt}`,
    failingSince === undefined ? '' : feed.moments.withAge(formatInstant(failingSince)),
    feed.isLocal
      ? ''
      : html`${actionButton(feed, 'redrive', fields)}${actionButton(feed, 'skip', { ...fields, skip: stoppedAt })}`,
  ];
}

function causeOfWebhook({ status }: OverviewWebhook, feed: ConsoleFeed): Html[] {
  const { webhook, state, needsAttention, lastFailure, failingSince, failures } = status;
  if (!needsAttention) return [];
  const since = failingSince === null ? '' : ` since ${feed.moments.withAge(failingSince)}`;
  if (state === 'paused')
    return [
      html`<h2>${badge('bad', 'Paused')} webhook ${webhook}</h2><p>Nothing is posted. ${command(`returns-feed webhooks resume ${webhook}${feed.flags}`)}</p>
${actionButton(feed, 'resume', { webhook })}`,
    ];
  return [
    html`<h2>${badge('bad', 'Failing')} webhook ${webhook}</h2>
<p>${failures} attempts in a row failed${since}: ${lastFailure ?? 'unknown'}. Its events wait and are posted in order once it accepts them.</p>
${!feed.isLocal && html`<p>Once the receiver is mended: ${command(`returns-feed webhooks test ${webhook}${feed.flags}`)}</p>`}`,
  ];
}

function causeOfSubscriber({ queue, deadLetters, deadLetterQueue }: SubscriberStatus): Html[] {
  if (deadLetters === null || deadLetters === 0) return [];
  return [
    html`<h2>${badge('bad', 'Dead letters')} subscriber ${queue}: ${deadLetters} events</h2>
<p>They failed ten times and are in the queue ${deadLetterQueue ?? ''}. Mend the subscriber, then move them back (docs/runbook.md, OrderedDeadLetters).</p>`,
  ];
}

function more(count: number): Html | false {
  return count > SHOWN && html`<p>and ${count - SHOWN} more</p>`;
}
