// A feed with every feature: many sources, a key of your own, mails, subscribers in its own stack and in another stack.
import { type App, Stack } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as kms from 'aws-cdk-lib/aws-kms';
import * as sns from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { MOST_SOURCES } from '../../infra/check-props.ts';
import { ReturnsChangeFeed } from '../../infra/returns-change-feed.ts';
import { aFunction, aSource } from './synthesize.ts';

export interface LargeFeed {
  readonly feed: ReturnsChangeFeed;
  readonly shop: Stack;
  readonly elsewhere: Stack;
}

export function buildLargeFeed(app: App, count: number): LargeFeed {
  const [shop, elsewhere] = [new Stack(app, 'Shop'), new Stack(app, 'Elsewhere')];
  const topic = new sns.Topic(shop, 'Alarms', { enforceSSL: true });
  topic.addSubscription(new EmailSubscription('ops@example.com'));
  const feed = new ReturnsChangeFeed(shop, 'Feed', {
    sources: Array.from({ length: count }, (_, at) =>
      aSource(shop, { name: `source-${at}`.padEnd(30, 'x') }),
    ),
    encryptionKey: new kms.Key(shop, 'Key', { enableKeyRotation: true }),
    alarmAction: new SnsAction(topic),
  });
  feed.addOrderedSubscriber(aFunction(shop));
  feed.addOrderedSubscriber(aFunction(elsewhere, 'Filtered'), {
    filter: { sources: ['source-0'.padEnd(30, 'x')] },
  });
  feed.addOrderedQueue('Erp');
  // The limit of resources leaves no room for webhooks in a stack with the maximum number of sources.
  if (count < MOST_SOURCES) feed.addWebhook('Wms', { url: 'https://wms.example.com/hook' });
  for (const target of [aFunction(shop, 'Here'), aFunction(elsewhere, 'There')])
    feed.onChange(target.node.id, { entity: 'shipment', to: 'DELIVERED', target });
  return { feed, shop, elsewhere };
}
