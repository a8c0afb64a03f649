import { expect, test } from 'vitest';
import { createMoments } from '../../local/cli/moments.ts';
import { liveRow } from '../../local/console/event-view.ts';
import { textOf } from '../../local/console/html.ts';
import { readExample } from '../../local/receiver-check/example-events.ts';

const moments = createMoments({ zone: 'UTC', now: () => Date.parse('2026-11-20T10:15:30Z') });
/** The text of the event's row without its JSON. */
const rowOf = (type: Parameters<typeof readExample>[0], ofSeveral = false) =>
  textOf(liveRow(readExample(type), moments, ofSeveral))
    .replace(/<details.*/s, '')
    .replaceAll(/<[^>]*>/g, '');

test('the row of a degraded source shows the reasons', () => {
  const { object } = readExample('feed.source_degraded').data as {
    object: { reasons: { message: string }[] };
  };

  const row = rowOf('feed.source_degraded');

  const [word = ''] = object.reasons[0]?.message.split(' ') ?? [];
  expect(word).not.toBe('');
  expect(row).toMatch(new RegExp(`source \\S+ ${word} `));
});

test('the row of a change breaks between its parts, where a phone has no room for them', () => {
  expect(rowOf('shipment.status_changed')).toMatch(/ shipment\.status_changed \S+ shipment \S+: /);
});

test('the row of a change names its source where there are several', () => {
  const [alone, ofSeveral] = [rowOf('shipment.status_changed'), rowOf('shipment.status_changed', true)];

  expect(alone).not.toContain('source');
  expect(ofSeveral).toMatch(/ shipment\.status_changed \S+ source \S+ shipment \S+: /);
});
