// One webhook: its own queue, whose messages ring, and a sender, which posts the events beyond its own mark in the
// ledger. A daily sweep rings for events whose messages were lost.

import { Duration, type RemovalPolicy, Stack } from 'aws-cdk-lib';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import * as ssm from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import { METRICS_NAMESPACE } from '../shared/deployment/metrics.ts';
import type { WebhookRecord } from '../shared/deployment/webhook-record.ts';
import { acknowledge } from './acknowledge.ts';
import { allowConsuming, allowItems, allowSecret, allowSending, allowTable } from './allow.ts';
import { createFunction, type FeedFunction, type FunctionDefaults } from './create-function.ts';
import { type DailySweeps, SWEEP_TIMEOUT } from './daily-sweeps.ts';
import { allowNetworkInterfaces, placeInNetwork } from './place-in-network.ts';
import type { FeedTables } from './storage.ts';
import { createOrderedQueue, subscribeQueue } from './subscribe-queue.ts';
import {
  DEFAULT_CONCURRENCY,
  DEFAULT_REQUEST_TIMEOUT,
  headersOf,
  networkOf,
  type WebhookOptions,
} from './webhook-options.ts';

/** What all webhooks of a feed share. */
export interface WebhookDefaults extends FunctionDefaults {
  readonly topic: sns.ITopic;
  readonly tables: FeedTables;
  readonly encryptionKey: kms.IKey | undefined;
  readonly removalPolicy: RemovalPolicy;
  readonly dailySweeps: DailySweeps;
  /** Below which each webhook has its parameter. */
  readonly path: string;
}

export interface WebhookProps extends WebhookDefaults {
  readonly options: WebhookOptions;
}

const SENDER_TIMEOUT = Duration.minutes(1);
/** Longer than an invocation: no other sender gets the return meanwhile. */
const VISIBILITY_TIMEOUT = Duration.seconds(90);
/** The keys of the groups of the feed's own events: `<source>_<generation>_feed`. */
const FEED_GROUPS = '*_feed';

export class Webhook extends Construct {
  /** In commands, marks and metrics. */
  readonly name: string;
  /** Its messages ring: each names a return with an event that may be unsent. */
  readonly queue: sqs.Queue;
  /** Messages that SNS could not write to the queue. The daily sweep makes up for them. */
  readonly undelivered: sqs.Queue;
  /** The secret that signs. The receiver needs it to check signatures. */
  readonly signingSecret: secretsmanager.ISecret;
  readonly sender: FeedFunction;
  readonly sweep: FeedFunction;

  constructor(scope: Construct, id: string, props: WebhookProps) {
    super(scope, id);
    const { options, encryptionKey, topic } = props;
    this.name = id;
    this.queue = createOrderedQueue(this, { encryptionKey, visibilityTimeout: VISIBILITY_TIMEOUT });
    // The sender decides when a ring is done, so nothing may move its messages elsewhere.
    acknowledge(
      this.queue,
      'SQS3',
      'Its messages only ring: the events are in the ledger, and a sweep rings again.',
    );
    this.undelivered = subscribeQueue(this, { topic, queue: this.queue, filter: options.filter ?? {} });
    this.signingSecret = options.secret ?? this.#createSecret(props);
    this.sender = this.#createSender(props);
    this.sweep = this.#createSweep(props);
    props.dailySweeps.add(id, `the webhook ${id}`, this.sweep);
    this.#record(props);
  }

  /** These properties never change: CloudFormation would generate another value. */
  #createSecret({ encryptionKey, removalPolicy }: WebhookProps): secretsmanager.ISecret {
    const secret = new secretsmanager.Secret(this, 'Secret', {
      description: `Signs the events of the webhook ${this.name}`,
      // Letters and digits: base64 of 48 bytes.
      generateSecretString: { excludePunctuation: true, includeSpace: false, passwordLength: 64 },
      removalPolicy,
      ...(encryptionKey && { encryptionKey }),
    });
    acknowledge(
      secret,
      'SMG4',
      'Its receiver must learn a new value, so an operator rotates it (webhooks rotate).',
    );
    // CDK's own types do not agree under exactOptionalPropertyTypes.
    return secret as secretsmanager.ISecret;
  }

  #createSender(props: WebhookProps): FeedFunction {
    const { options, tables } = props;
    const network = networkOf(options);
    const sender = createFunction(this, 'Sender', props, {
      code: 'webhook',
      description: `Posts events to the webhook ${this.name}`,
      environment: this.#environment(props),
      timeout: SENDER_TIMEOUT,
      memorySizeMiB: 256,
      network: network && placeInNetwork(network),
    });
    const { role } = sender;
    if (network !== undefined) allowNetworkInterfaces(role);
    this.#allowTables(role, tables);
    allowConsuming(role, this.queue);
    allowSecret(role, this.signingSecret);
    if (typeof options.url !== 'string') allowSecret(role, options.url);
    for (const [, secret] of headersOf(options)) allowSecret(role, secret);
    new lambda.EventSourceMapping(this, 'Mapping', {
      target: sender.function,
      eventSourceArn: this.queue.queueArn,
      // A failing return must not hold up others in its batch.
      batchSize: 1,
      reportBatchItemFailures: true,
      maxConcurrency: options.maxConcurrency ?? DEFAULT_CONCURRENCY,
    });
    return sender;
  }

  #createSweep(props: WebhookProps): FeedFunction {
    const sweep = createFunction(this, 'Sweep', props, {
      code: 'webhook',
      exportName: 'sweep',
      description: `Rings for what the webhook ${this.name} has missed of the ledger`,
      environment: this.#environment(props),
      timeout: SWEEP_TIMEOUT,
      memorySizeMiB: 512,
    });
    this.#allowTables(sweep.role, props.tables);
    allowTable(sweep.role, props.tables.ledger, ['dynamodb:Scan']);
    allowSending(sweep.role, this.queue);
    return sweep;
  }

  /** The calls of functions/adapters from both functions. They write no event of a return. */
  #allowTables(role: iam.Role, { ledger, marks }: FeedTables): void {
    allowTable(role, ledger, ['dynamodb:Query']);
    allowItems(role, ledger, ['dynamodb:PutItem'], FEED_GROUPS);
    allowItems(
      role,
      marks,
      ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
      `${this.name}#*`,
    );
  }

  /** As functions/webhook/webhook-environment.ts reads it. */
  #environment({ options, tables }: WebhookProps): Record<string, string> {
    const { url, filter = {}, requestTimeout = DEFAULT_REQUEST_TIMEOUT } = options;
    return {
      WEBHOOK_ID: this.name,
      QUEUE_URL: this.queue.queueUrl,
      LEDGER_TABLE: tables.ledger.tableName,
      MARKS_TABLE: tables.marks.tableName,
      ...(typeof url === 'string' ? { WEBHOOK_URL: url } : { WEBHOOK_URL_SECRET: placeOf(url) }),
      SIGNING_SECRET: placeOf(this.signingSecret),
      SECRET_HEADERS: Stack.of(this).toJsonString(headerPlaces(options)),
      FILTER: JSON.stringify(filter),
      ADDRESSES: addressesOf(options),
      REQUEST_TIMEOUT_MS: `${requestTimeout.toMilliseconds()}`,
      MAX_CONCURRENCY: `${options.maxConcurrency ?? DEFAULT_CONCURRENCY}`,
      POWERTOOLS_METRICS_NAMESPACE: METRICS_NAMESPACE,
    };
  }

  /** For commands of operators: names and places, no secret. */
  #record({ options, path }: WebhookProps): void {
    const { url, filter = {}, requestTimeout = DEFAULT_REQUEST_TIMEOUT } = options;
    const record: WebhookRecord = {
      id: this.name,
      ...(typeof url === 'string' ? { url } : { urlSecret: placeOf(url) }),
      signingSecret: placeOf(this.signingSecret),
      secretHeaders: headerPlaces(options),
      filter,
      addresses: addressesOf(options),
      requestTimeoutMs: requestTimeout.toMilliseconds(),
      queueUrl: this.queue.queueUrl,
      sender: this.sender.function.functionName,
      log: this.sender.logGroup.logGroupName,
    };
    new ssm.StringParameter(this, 'Record', {
      parameterName: `${path}/${this.name}`,
      description: `The webhook ${this.name}`,
      stringValue: Stack.of(this).toJsonString(record),
    });
  }
}

/** The name is enough for reading; with the ARN nothing else can have it. */
function placeOf(secret: secretsmanager.ISecret): string {
  return secret.secretFullArn ?? secret.secretName;
}

function headerPlaces(options: WebhookOptions): Record<string, string> {
  return Object.fromEntries(
    headersOf(options).map(([name, secret]) => [name.toLowerCase(), placeOf(secret)]),
  );
}

function addressesOf({ allowPrivateAddresses = false }: WebhookOptions): WebhookRecord['addresses'] {
  return allowPrivateAddresses ? 'private' : 'public';
}
