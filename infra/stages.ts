// The deployments, each written out completely, so that they are easy to compare. Add yours here: name your source, its
// address, and the secret of its token.
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
   * The origin of the sample warehouse's events: the ordered topic, or the bus. Undefined for no sample warehouse.
   */
  readonly sampleWarehouse: SampleWarehouseProps['subscribeTo'];
  /** The e-mail address for alarms. A first mail has a link to confirm it. */
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

/** The stage of a name. @throws Error for an unknown name */
export function stageNamed(name: unknown = 'production'): Stage {
  const stage = Object.entries(STAGES).find(([known]) => known === name)?.[1];
  if (stage === undefined)
    throw new Error(
      `There is no stage "${String(name)}": write -c stage=${Object.keys(STAGES).join(' or ')}.`,
    );
  return stage;
}
