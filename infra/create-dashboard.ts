// The dashboard that operators read after an alarm. Its rows, from the top: the sources, requests, events found,
// publishing, subscriptions. Figures that logs contain come from log queries: a metric costs 0.30 $ a month.
import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { RELAY_NAMES, type RelayName, traitsOf } from '../shared/deployment/destinations.ts';
import type { TickField } from '../shared/deployment/metrics.ts';
import { DEFAULT_REQUESTS_PER_MINUTE } from '../shared/source/source-settings.ts';
import type { FeedMetrics } from './feed-metrics.ts';
import type { Polling } from './polling.ts';
import type { Publishing } from './publishing.ts';
import { alarmedOf, type SourceProps } from './source-props.ts';

export interface DashboardProps {
  readonly metrics: FeedMetrics;
  readonly sources: readonly SourceProps[];
  readonly polling: Polling;
  readonly publishing: Publishing;
}

/** Widths; a dashboard has 24 columns. */
const HALF = 12;
const THIRD = 8;

type Graph = cloudwatch.GraphWidget;

export interface FeedDashboard {
  readonly dashboard: cloudwatch.Dashboard;
  /** The graph of the ordered subscriptions: ages on the left axis, dead letters on the right axis. */
  readonly subscriptions: cloudwatch.GraphWidget;
}

export function createDashboard(scope: Construct, id: string, props: DashboardProps): FeedDashboard {
  const subscriptions = graph('Ordered subscribers: age of the oldest event, s; dead letters', HALF, []);
  const dashboard = new cloudwatch.Dashboard(scope, id, {
    defaultInterval: Duration.hours(3),
    widgets: [
      reading(props),
      requesting(props),
      finding(props),
      publishing(props),
      [subscriptions, delivering(props)],
    ],
  });
  return { dashboard, subscriptions };
}

/** Adds a row for the webhooks: how long they have failed, returns that wait, and messages that SNS could not deliver. */
export function addWebhookRow(dashboard: cloudwatch.Dashboard): readonly [failing: Graph, rings: Graph] {
  const row = [
    graph('Webhooks: how long the oldest event, or the endpoint, has failed, s', HALF, []),
    graph('Webhooks: returns that wait for an attempt; not delivered', HALF, []),
  ] as const;
  dashboard.addWidgets(...row);
  return row;
}

function reading({ metrics, sources, publishing: { relays } }: DashboardProps): cloudwatch.IWidget[] {
  return [
    graph(
      'Sources due, polled, behind, failing; 99 % polled within, s',
      THIRD,
      [
        metrics.ofSources('sourcesDue', { label: 'due' }),
        metrics.ofSources('sourcesPolled', { label: 'polled', statistic: cloudwatch.Stats.SUM }),
        metrics.ofSources('sourcesBehind', { label: 'behind' }),
        metrics.ofSources('sourcesFailing', { label: 'failing' }),
        metrics.ofSources('invalidEntries', { label: 'invalid' }),
      ],
      [metrics.ofSources('secondsLate', { label: 'late', statistic: cloudwatch.Stats.percentile(99) })],
    ),
    graph('Freshness: seconds since polls were complete and walks made progress', THIRD, [
      ...alarmedOf(sources).map(({ name }) => metrics.secondsBehind(name, { label: name })),
    ]),
    graph('Holds; return groups set aside or behind', THIRD, [
      metrics.holds({ label: 'held' }),
      metrics.setAsideGroups({ label: 'set aside' }),
      ...namesOf(relays).map((name) =>
        metrics.groupsBehind(name, { label: `behind: ${traitsOf(name).title}` }),
      ),
    ]),
  ];
}

function requesting({ polling, sources }: DashboardProps): cloudwatch.IWidget[] {
  const budgets = sources.map(({ requestsPerMinute = DEFAULT_REQUESTS_PER_MINUTE }) => requestsPerMinute);
  const budget = budgets.reduce((sum, each) => sum + each, 0);
  return [
    ticks(polling, 'Requests a minute', { field: 'requests', bin: '1m' }),
    ticks(polling, 'Share of the budget, %', { field: 'requests', bin: '1m', percentOf: budget }),
    ticks(polling, 'Responses 429 (too many requests)', { field: 'rateLimited', bin: '5m' }),
  ];
}

function finding({ polling }: DashboardProps): cloudwatch.IWidget[] {
  return [
    ticks(polling, 'Events', { field: 'events', bin: '5m' }),
    ticks(polling, 'Events that only walks found', { field: 'foundByWalks', bin: '5m' }),
    new cloudwatch.LogQueryWidget({
      title: 'Warnings and errors of ticks, latest first',
      width: THIRD,
      height: 6,
      logGroupNames: [polling.poller.logGroup.logGroupName],
      queryLines: [
        'fields @timestamp, source, outcome, error.name, error.message',
        'filter level in ["WARN", "ERROR"]',
        'sort @timestamp desc',
        'limit 20',
      ],
    }),
  ];
}

function publishing({ metrics, publishing: { relays, sweeps } }: DashboardProps): cloudwatch.IWidget[] {
  return [
    graph('Relays: age of the oldest unsent record, ms', THIRD, [
      ...namesOf(relays).map((name) => metrics.relayAge(name, { label: `to ${traitsOf(name).title}` })),
    ]),
    graph('Dead letters of the feed itself', THIRD, [metrics.deadLetters({ label: 'of the feed' })]),
    new cloudwatch.LogQueryWidget({
      title: 'Return groups that a destination rejects, skipped events',
      width: THIRD,
      height: 6,
      logGroupNames: [...Object.values(relays), ...Object.values(sweeps)].map(
        ({ logGroup }) => logGroup.logGroupName,
      ),
      queryLines: [
        'fields @timestamp, message, destination, source, group, reason',
        'filter level in ["WARN", "ERROR"]',
        'sort @timestamp desc',
        'limit 20',
      ],
    }),
  ];
}

function namesOf(relays: Publishing['relays']): RelayName[] {
  return RELAY_NAMES.filter((name) => relays[name] !== undefined);
}

/** The topic's metrics, which include subscriptions in other stacks. */
function delivering({ publishing: { topic } }: DashboardProps): cloudwatch.IWidget {
  const count = (metricName: string, label: string) =>
    topic.metric(metricName, { label, statistic: cloudwatch.Stats.SUM, period: Duration.minutes(5) });
  return graph(
    'Ordered topic: events to all subscriptions; failed deliveries',
    HALF,
    [
      count('NumberOfMessagesPublished', 'published'),
      count('NumberOfNotificationsDelivered', 'delivered'),
      count('NumberOfNotificationsFilteredOut', 'filtered out'),
    ],
    [count('NumberOfNotificationsFailed', 'failed')],
  );
}

function graph(
  title: string,
  width: number,
  left: cloudwatch.IMetric[],
  right: cloudwatch.IMetric[] = [],
): cloudwatch.GraphWidget {
  return new cloudwatch.GraphWidget({ title, width, height: 6, left, right, leftYAxis: { min: 0 } });
}

interface TickQuery {
  readonly field: TickField;
  readonly bin: '1m' | '5m';
  readonly percentOf?: number;
}

function ticks({ poller }: Polling, title: string, { field, bin, percentOf }: TickQuery) {
  const sum = percentOf === undefined ? `sum(${field})` : `sum(${field}) * 100 / ${percentOf}`;
  return new cloudwatch.LogQueryWidget({
    title,
    width: THIRD,
    height: 6,
    view: cloudwatch.LogQueryVisualizationType.LINE,
    logGroupNames: [poller.logGroup.logGroupName],
    queryLines: [`filter ispresent(${field})`, `stats ${sum} by bin(${bin})`],
  });
}
