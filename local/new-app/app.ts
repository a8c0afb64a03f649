// The feed, and the functions that act on its events, as one stack. `npx cdk deploy` deploys it.
import { App, Duration } from 'aws-cdk-lib';
import { Runtime } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { ReturnsFeedStack } from 'returns-change-feed/infra/stack';

const stack = new ReturnsFeedStack(new App(), {
  stackName: 'ReturnsFeed',
  description: 'Changes of returns as events, and what acts on them',
  sources: [{ name: 'acme', baseUrl: 'https://returns.example.com/api', tokenSecret: 'returns-feed/acme' }],
  // After `cdk destroy`, the tables are left. To continue with them: tables: <the output Tables of that deployment>,
});

const arrivals = new NodejsFunction(stack, 'Arrivals', {
  entry: 'arrivals.ts',
  runtime: Runtime.NODEJS_24_X,
  timeout: Duration.seconds(30),
});
stack.feed.addOrderedSubscriber(arrivals, { filter: { entities: ['shipment'], to: ['DELIVERED'] } });
