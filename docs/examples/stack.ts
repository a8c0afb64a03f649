// Needs aws-cdk-lib, constructs, and esbuild, with which CDK bundles the function (without it, CDK runs Docker).
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Runtime } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { ReturnsChangeFeed } from 'returns-change-feed/infra';

const app = new App();
const stack = new Stack(app, 'Warehouse');
const feed = new ReturnsChangeFeed(stack, 'Returns', {
  sources: [
    {
      name: 'acme',
      baseUrl: 'https://returns.example.com/api',
      token: Secret.fromSecretNameV2(stack, 'Token', 'returns/acme'),
    },
  ],
});
const arrivals = new NodejsFunction(stack, 'Arrivals', {
  entry: 'five-lines.ts',
  runtime: Runtime.NODEJS_24_X,
  timeout: Duration.seconds(30),
});
feed.addOrderedSubscriber(arrivals, { filter: { entities: ['shipment'], to: ['DELIVERED'] } });
feed.addWebhook('Wms', {
  url: 'https://wms.example.com/hooks/returns',
  filter: { entities: ['shipment'], to: ['DELIVERED'] },
});
