// Compares the service's present answer for a return with the feed's state.
import type { Difference } from '../../shared/finding/compare-answer.ts';
import { failureOf } from '../cli/failures.ts';
import { type AskedService, askService } from '../place/ask-service.ts';
import type { ConsoleFeed } from './console-feed.ts';
import { documentLink } from './documents.ts';
import { type Html, html } from './html.ts';
import { badge, table } from './layout.ts';

/** Sends one request, and shows the comparison or the failure. */
export async function askedNotice(
  feed: ConsoleFeed,
  { source, group }: { readonly source: string; readonly group: number },
): Promise<Html> {
  try {
    const asked = await askService(feed, source, group, feed.access);
    return html`<div class="notice${asked.agrees ? ' good' : ''}" id="asked" role="status">${describe(asked)} <span class="dim">Asked ${feed.moments.full(feed.moments.now())}.</span></div>`;
  } catch (error) {
    return html`<div class="notice bad" id="asked" role="status">${badge('bad', 'The service was not asked, or did not answer:')} ${failureOf(error)} What to do: ${documentLink('failing')}</div>`;
  }
}

function describe({ answer, agrees, differences, mayBeStale }: AskedService): Html {
  if (answer.kind === 'unreadable')
    return html`${badge('bad', 'Unreadable')} The service's row can't be read: ${answer.reason}.`;
  if (agrees && answer.kind === 'absent')
    return html`${badge('good', 'Both agree')} Neither has this return.`;
  if (agrees) return html`${badge('good', 'Both agree')} The service's answer equals the feed's state.`;
  const missing = answer.kind === 'absent' ? ' The service does not show this return.' : '';
  const wait = mayBeStale
    ? 'The answer may be older than the stored state, so the feed would not accept it yet.'
    : 'The next poll or reconciliation finds the changes and publishes them.';
  return html`${badge('busy', 'They differ')}${missing} ${wait} ${table('Differences', ['Entity', 'Field', 'Feed', 'Service'], differences.flatMap(rowsOf))}`;
}

function rowsOf({ entity, kind, fields }: Difference): string[][] {
  if (kind !== 'changed')
    return [
      [entity, '', kind === 'only_in_feed' ? 'has it' : '–', kind === 'only_at_service' ? 'has it' : '–'],
    ];
  return fields.map(({ field, inFeed, atService }) => [entity, field, show(inFeed), show(atService)]);
}

function show(value: unknown): string {
  if (value === null || value === undefined) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
