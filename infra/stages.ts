// The deployments, each written out completely, so that they are easy to compare. Add yours here, with your source, its
// URL, and the name of the secret with its token.
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ReturnsFeedStackProps } from './returns-feed-stack.ts';
import type { SampleWarehouseProps } from './sample-warehouse.ts';

export interface Stage extends ReturnsFeedStackProps {
  readonly removalPolicy: RemovalPolicy;
  readonly dashboard: boolean;
  readonly alarmEmail: string | undefined;
  /** The destination that the sample warehouse subscribes to; undefined for no sample warehouse. */
  readonly sampleWarehouse: SampleWarehouseProps['subscribeTo'];
}

const production: Stage = {
  stackName: 'ReturnsFeed',
  description: 'Changes of returns as events',
  sources: [
    {
      name: 'acme',
      baseUrl: 'https://returns.example.com/api',
      tokenSecret: 'returns-feed/acme',
      interval: Duration.minutes(1),
    },
  ],
  archiveRetention: Duration.days(30),
  logRetention: RetentionDays.ONE_MONTH,
  removalPolicy: RemovalPolicy.RETAIN,
  dashboard: true,
  sampleWarehouse: undefined,
  alarmEmail: undefined,
};

/** For trials: with the sample warehouse as subscriber. `cdk destroy` removes everything. */
const trial: Stage = {
  stackName: 'ReturnsFeedTrial',
  description: 'Changes of returns as events, for trials',
  sources: [
    {
      name: 'acme',
      baseUrl: 'https://returns.example.com/api',
      tokenSecret: 'returns-feed/acme',
      interval: Duration.seconds(20),
      // Both stages use the same token: together they must stay below the service's limit.
      requestsPerMinute: 40,
    },
  ],
  archiveRetention: Duration.days(1),
  logRetention: RetentionDays.ONE_WEEK,
  removalPolicy: RemovalPolicy.DESTROY,
  dashboard: false,
  sampleWarehouse: 'ordered',
  alarmEmail: undefined,
};

export const STAGES = { production, trial } as const;

/** @throws Error for an unknown name */
export function stageNamed(name: unknown = 'production'): Stage {
  const stage = Object.entries(STAGES).find(([known]) => known === name)?.[1];
  if (stage === undefined)
    throw new Error(
      `There is no stage "${String(name)}": write -c stage=${Object.keys(STAGES).join(' or ')}.`,
    );
  return stage;
}
