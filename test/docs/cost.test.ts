// The page is computed and compared, because sums that are not recalculated soon become wrong.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { aFeed, aFunction } from '../infra/synthesize.ts';
import { resourcesOf } from '../infra/template.ts';
import { monthlyCosts, sumOf } from './cost-model.ts';
import { costOfSources } from './cost-of-sources.ts';
import { amountsInWords, readCostPage, renderCostPage } from './cost-page.ts';
import { UNITS } from './cost-units.ts';

const page = readCostPage();

describe('docs/cost.md', () => {
  test('has the table that `npm run costs` writes', () => {
    expect(page).toBe(renderCostPage(page));
  });

  test.each(amountsInWords().onPage)('has the amount: %s', (text) => {
    expect(page).toContain(text);
  });
});

test.each([
  [
    'README.md',
    ({ billed, list }: Sums) =>
      `${billed} $ a month for a source polled each minute with 10,000 changes a day, ${list} $`,
  ],
  ['docs/warehouse.md', ({ billed }: Sums) => `beside a feed of ${billed} $`],
])('%s names the same sums', (file, text) => {
  const words = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

  expect(words).toContain(text(amountsInWords()));
});

type Sums = ReturnType<typeof amountsInWords>;

test('the rows of the table add up to its sums, except for rounding to the cent', () => {
  const [table = ''] = page.split('## Many sources');
  const shown = [...table.matchAll(/^\| [^|]+\| [^|]+\| [^|]+\| ([\d.]+) \| ([\d.]+) \|$/gm)];

  expect(shown).toHaveLength(monthlyCosts().length);
  for (const [place, column] of [
    [1, 'list'],
    [2, 'billed'],
  ] as const) {
    const added = shown.reduce((sum, row) => sum + Number(row[place]), 0);
    expect(Math.abs(added - sumOf(monthlyCosts(), column))).toBeLessThan(0.005 * shown.length);
  }
});

test('the model has as many watched metrics as the alarms of the construct for one source and an ordered subscriber', () => {
  const { feed, stack, template } = aFeed();
  feed.addOrderedSubscriber(aFunction(stack));

  const watched = resourcesOf(template(), 'AWS::CloudWatch::Alarm').map(
    ([, { Properties }]) => Properties.Metrics?.filter((it: object) => 'MetricStat' in it).length ?? 1,
  );
  expect(watched.reduce((sum, each) => sum + each, 0)).toBe(UNITS.alarms);
});

test('a thousand quiet sources that were added cost at most 100 $ a month', () => {
  const cost = costOfSources(1_000);

  expect(cost).toBeLessThan(100);
});

test.each([
  [{}, 3],
  [{ notify: 'wms@example.com' }, 4],
])('a webhook has as many alarms as the page says: with %j %i', (owner, alarms) => {
  const { feed, template } = aFeed();
  feed.addWebhook('Wms', { url: 'https://wms.example.com', ...owner });

  const all = resourcesOf(template(), 'AWS::CloudWatch::Alarm').map(([id]) => id);
  expect(all.filter((id) => id.includes('Wms'))).toHaveLength(alarms);
});
