// The deployments, each as a whole, so that two can be compared by looking at them. Yours go here: name your source,
// its address, and where its token is kept.
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ReturnsChangeFeedProps } from './feed-props.ts';
import type { SampleWarehouseProps } from './sample-warehouse.ts';
import type { SourceProps } from './source-props.ts';

export interface StageSource extends Omit<SourceProps, 'token'> {
  /** Name of the secret that holds the token as its whole text. */
  readonly tokenSecret: string;
}

export interface Stage extends Pick<ReturnsChangeFeedProps, 'archiveRetention' | 'logRetention'> {
  readonly stackName: string;
  readonly description: string;
  readonly sources: readonly StageSource[];
  readonly removalPolicy: RemovalPolicy;
  readonly dashboard: boolean;
  /**
   * Where the sample warehouse beside it gets its events: the ordered queue, as its one consumer, or the bus, where it is
   * in nobody's way. Undefined: there is none.
   */
  readonly sampleWarehouse: SampleWarehouseProps['subscribeTo'];
  /** Who is written to by alarms; confirms it by a link in a first mail. */
  readonly alarmEmail: string | undefined;
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

/** To try things out, with the sample warehouse as subscriber: `destroy` leaves nothing behind. */
const trial: Stage = {
  stackName: 'ReturnsFeedTrial',
  description: 'Changes of returns as events, to try it out',
  sources: [
    {
      name: 'acme',
      baseUrl: 'https://returns.example.com/api',
      tokenSecret: 'returns-feed/acme',
      interval: Duration.seconds(20),
      // Both stages use one token: together they must stay below what the service allows.
      requestsPerMinute: 40,
    },
  ],
  archiveRetention: Duration.days(1),
  logRetention: RetentionDays.ONE_WEEK,
  removalPolicy: RemovalPolicy.DESTROY,
  dashboard: false,
  sampleWarehouse: 'queue',
  alarmEmail: undefined,
};

export const STAGES = { production, trial } as const;

/** @throws for a stage that there is not */
export function stageNamed(name: unknown = 'production'): Stage {
  const stage = Object.entries(STAGES).find(([known]) => known === name)?.[1];
  if (stage === undefined)
    throw new Error(
      `There is no stage "${String(name)}": write -c stage=${Object.keys(STAGES).join(' or ')}.`,
    );
  return stage;
}
