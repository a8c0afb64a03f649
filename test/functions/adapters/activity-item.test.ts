import { describe, expect, test } from 'vitest';
import { itemBytes } from '../../../functions/adapters/attribute-values.ts';
import {
  type Activity,
  fromActivityItem,
  toActivityItem,
} from '../../../functions/adapters/dynamodb-activities.ts';
import { encodeBody } from '../../../functions/adapters/stored-body.ts';
import { merge } from '../../../functions/poller/note-activity.ts';
import { MINUTE, SECOND } from '../../../shared/instant.ts';

const NOW = 29_393_895 * MINUTE;

/** Minutes with events and groups that changed, latest first; irregular, so that they deflate no better than real ones. */
function anActivity(minutes: number, groups: number): Activity {
  return {
    minutes: Array.from({ length: minutes }, (_, ago) => ({
      from: NOW - ago * MINUTE,
      events: 3 + ((ago * 617) % 97),
    })),
    recent: Array.from({ length: groups }, (_, place) => ({
      group: 184_467 + ((place * 104_729) % 19_997),
      sequence: 40 - ((place * 31) % 37),
      savedAt: NOW + 59 * SECOND - place * SECOND - ((place * 715_827) % 999_983),
    })),
  };
}

describe('the stored activity', () => {
  test('of an hour of a busy source is whole, in one write unit', () => {
    const activity = anActivity(60, 50);

    const item = toActivityItem('acme', activity);

    expect(itemBytes(item)).toBeLessThanOrEqual(1_024);
    expect(fromActivityItem(item)).toEqual(activity);
  });

  test.each([
    ['of another format', { v: { N: '2' } }],
    ['with a damaged body', { b: { B: new Uint8Array([1, 2, 3]) } }],
    ['with another body', { b: { B: encodeBody({ minutes: 7 }) } }],
    ['without a body', { b: { S: 'text' } }],
  ])('%s counts as none', (_, change) => {
    const item = { ...toActivityItem('acme', anActivity(2, 2)), ...change };

    expect(fromActivityItem(item)).toBeUndefined();
  });
});

test('two activities merge: events of a minute are summed, and each group has its last change', () => {
  const [group = { group: 0, sequence: 0, savedAt: 0 }, ...others] = anActivity(1, 3).recent;
  const later = { ...group, sequence: 41, savedAt: NOW + MINUTE };
  const news = { minutes: [{ from: NOW, events: 4 }], recent: [later] };

  const merged = merge(news, { minutes: anActivity(60, 0).minutes, recent: [group, ...others] });

  expect(merged.minutes).toHaveLength(60);
  expect(merged.minutes[0]).toEqual({ from: NOW, events: 7 });
  expect(merged.recent).toEqual([later, ...others]);
});
