// The computed parts of docs/cost.md.
import { readFileSync } from 'node:fs';
import { type Cost, monthlyCosts, sumOf } from './cost-model.ts';
import {
  COST_OF_OWNER,
  COST_OF_SOURCE,
  costOfConsole,
  costOfFirstReading,
  costOfIdleSubscriber,
  costOfIdleWebhook,
  costOfMillionDeliveries,
  costOfMillionSeconds,
  costOfReportedSubscriber,
  costOfSingleEvents,
  costOfSubscriber,
  costOfSweep,
  costOfTenSeconds,
} from './cost-of-more.ts';
import {
  costOfIdlePull,
  costOfMillionPositions,
  costOfMillionPulled,
  costOfMillionReturnsPulled,
  costOfMinutely,
  costOfWaiting,
  FULL_BATCH,
} from './cost-of-pulling.ts';
import { COSTS_OF_SOURCES, COUNTS, costOfSources } from './cost-of-sources.ts';
import { costOfWalk, costOfWalks, walksOf } from './cost-of-walks.ts';
import { UNITS } from './cost-units.ts';

export const COST_PAGE = new URL('../../docs/cost.md', import.meta.url);

const TABLE = /(?<=<!-- begin: npm run costs -->\n)[\s\S]*?(?=<!-- end -->)/;
const TABLE_OF_SOURCES = /(?<=<!-- begin: npm run costs, sources -->\n)[\s\S]*?(?=<!-- end -->)/;

export function readCostPage(): string {
  return readFileSync(COST_PAGE, 'utf8');
}

/** The page with the model's tables. */
export function renderCostPage(page: string): string {
  if (!TABLE.test(page) || !TABLE_OF_SOURCES.test(page))
    throw new Error('docs/cost.md does not mark where its tables begin and end.');
  return page.replace(TABLE, renderTable(monthlyCosts())).replace(TABLE_OF_SOURCES, renderTableOfSources());
}

function renderTableOfSources(): string {
  const lines = [
    ['sources', ...COUNTS.map((count) => count.toLocaleString('en-US'))],
    ['---', '--:', '--:', '--:', '--:'],
    ...COSTS_OF_SOURCES.map(({ what, of }) => [what, ...COUNTS.map((count) => of(count).toFixed(2))]),
    ['**sum**', ...COUNTS.map((count) => `**${costOfSources(count).toFixed(2)}**`)],
  ];
  return `${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`;
}

function renderTable(costs: readonly Cost[]): string {
  const rows = costs.map(({ what, units, price, list, billed }) => [
    what,
    units,
    price,
    cents(list),
    cents(billed),
  ]);
  const sums = (['list', 'billed'] as const).map((column) => `**${cents(sumOf(costs, column))}**`);
  const lines = [
    ['', 'units', 'price', 'list', 'after what is free'],
    ['---', '---', '---', '---', '---'],
    ...rows,
    ['CloudWatch, dashboard', '1', '3.00 $, the first three of an account free', '(3.00)', '0'],
    ['**sum** (without the dashboard)', '', '', ...sums],
  ];
  return `${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`;
}

function cents(amount: number): string {
  return amount === 0 ? '0' : amount.toFixed(2);
}

/** The amounts in the page's text, and the sums on other pages. */
export function amountsInWords() {
  const costs = monthlyCosts();
  const [list, billed] = [sumOf(costs, 'list').toFixed(2), sumOf(costs, 'billed').toFixed(2)];
  const each = costOfWalk(10_000);
  const [recent, older] = walksOf(UNITS.known);
  const reports = costs.at(-1);
  return {
    list,
    billed,
    onPage: [
      `**${list} $ a month at list price, ${billed} $ on the bill**`,
      `walked every ${recent?.every} minutes, the others every ${older?.every} minutes`,
      `${wholeWalks(300)}, ${wholeWalks(10_000)}, and those of the table ${costOfWalks(walksOf(UNITS.known)).toFixed(2)} $`,
      `300 groups are then walked every ten seconds, for ${costOfWalks(walksOf(all(300), 10_000)).toFixed(2)} $`,
      `every ten minutes ${(4_320 * each).toFixed(2)} $ a month, every hour ${(720 * each).toFixed(2)} $, every minute ${(43_200 * each).toFixed(2)} $`,
      `polls cost about ${costOfTenSeconds().toFixed(1)} $ more`,
      `secret ${COST_OF_SOURCE.secret.toFixed(2)} $, with \`alarm\` ${COST_OF_SOURCE.watched.toFixed(2)} $`,
      `**${Math.round(costOfSources(1_000))} $ a month for 1,000 of them**`,
      `100,000 groups: ${costOfFirstReading(100_000).toFixed(3)} $`,
      `one by one: ${costOfSingleEvents().toFixed(2)} $`,
      `gets every event: ${costOfSubscriber().toFixed(2)} $, of which ${costOfIdleSubscriber().toFixed(2)} $ while nothing changes`,
      `**A webhook**: ${costOfIdleWebhook().toFixed(2)} $ while nothing changes`,
      `${costOfMillionDeliveries().toFixed(1)} $ for a million deliveries`,
      `${costOfSweep().toFixed(2)} $ for its daily sweep`,
      `adds an alarm: ${COST_OF_OWNER.toFixed(2)} $`,
      `a million deliveries cost ${costOfMillionSeconds().toFixed(2)} $ for each second`,
      `**The pull feed**: ${costOfIdlePull().toFixed(2)} $ while nothing changes`,
      `${costOfMillionPositions(FULL_BATCH).toFixed(1)} $ for a million events in full batches, ${costOfMillionPositions(1).toFixed(1)} $ where each comes alone`,
      `${costOfMillionPulled().toFixed(2)} $ for a million events that it gets, ${costOfMillionReturnsPulled().toFixed(2)} $ for a million whole returns`,
      `${costOfMinutely().toFixed(2)} $ if it asks once a minute, ${costOfWaiting().toFixed(1)} $ if it always waits`,
      `for each source at most ${costOfConsole(5).toFixed(2)} $: 110 units every five seconds`,
      `an overview every 30 s: ${costOfConsole(30).toFixed(3)} $ an hour for each source`,
      `\`sourceRead: false\` saves ${reports?.list.toFixed(2)} $ a month at list price, ${reports?.billed.toFixed(2)} $ on the bill`,
      `${costOfReportedSubscriber().toFixed(2)} $ for each ordered subscriber`,
    ],
  };
}

/** Walks over all groups, at the defaults. */
function wholeWalks(groups: number): string {
  const [walks] = walksOf(all(groups));
  const every = walks?.every === 1 ? 'every minute' : `every ${walks?.every} minutes`;
  return `${groups.toLocaleString('en-US')} groups ${every}, ${costOfWalks(walksOf(all(groups))).toFixed(2)} $`;
}

function all(groups: number) {
  return { groups, recentGroups: groups };
}
