// How old the oldest message of each queue is. SQS itself does not say it. CloudWatch reports it once a minute, a few
// minutes late, and bills each queue that it is asked for.
import { withClient } from './with-client.ts';

/** The reports lag by some minutes; an empty queue has none after a while. */
const LOOK_BACK_MS = 15 * 60_000;

/**
 * Seconds by the queue's name; undefined without a report. One call: a topic has at most 100 queues, and a call takes 500.
 *
 * @throws the errors of CloudWatch
 */
export async function readQueueAges(queues: readonly string[]): Promise<Map<string, number | undefined>> {
  if (queues.length === 0) return new Map();
  const { CloudWatch } = await import('@aws-sdk/client-cloudwatch');
  const now = Date.now();
  const { MetricDataResults = [] } = await withClient(new CloudWatch(), (client) =>
    client.getMetricData({
      StartTime: new Date(now - LOOK_BACK_MS),
      EndTime: new Date(now),
      ScanBy: 'TimestampDescending',
      MetricDataQueries: queues.map((queue, index) => ({ Id: idOf(index), MetricStat: ageOf(queue) })),
    }),
  );
  const newest = new Map(MetricDataResults.map(({ Id, Values }) => [Id, Values?.[0]]));
  return new Map(queues.map((queue, index) => [queue, newest.get(idOf(index))]));
}

function idOf(index: number): string {
  return `age${index}`;
}

function ageOf(queue: string) {
  const Metric = {
    Namespace: 'AWS/SQS',
    MetricName: 'ApproximateAgeOfOldestMessage',
    Dimensions: [{ Name: 'QueueName', Value: queue }],
  };
  return { Metric, Period: 60, Stat: 'Maximum' };
}
