// One webhook: a queue of rings, and a sender. A ring wakes the sender for a return; the sender posts the ledger's events
// that are later than its mark. A daily sweep sends rings for events that were missed.

import { Duration, type RemovalPolicy, Stack } from 'aws-cdk-lib';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import * as ssm from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import { DEFAULT_CONTENT_TYPE } from '../shared/deployment/content-type.ts';
import { METRICS_NAMESPACE } from '../shared/deployment/metrics.ts';
import { TABLES } from '../shared/deployment/tables.ts';
import type { WebhookRecord } from '../shared/deployment/webhook-record.ts';
import { acknowledge } from './acknowledge.ts';
import {
  allow,
  allowConsuming,
  allowGenerations,
  allowItems,
  allowSecret,
  allowSending,
  allowTable,
  FEED_GROUPS,
} from './allow.ts';
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

/** The settings that all webhooks of a feed share. */
export interface WebhookDefaults extends FunctionDefaults {
  readonly topic: sns.ITopic;
  readonly tables: FeedTables;
  readonly encryptionKey: kms.IKey | undefined;
  readonly removalPolicy: RemovalPolicy;
  readonly dailySweeps: DailySweeps;
  /** The path of the webhooks' parameters. */
  readonly path: string;
}

export interface WebhookProps extends WebhookDefaults {
  readonly options: WebhookOptions;
}

const SENDER_TIMEOUT = Duration.minutes(1);
/** Longer than an invocation, so that no other sender gets the return meanwhile. */
const VISIBILITY_TIMEOUT = Duration.seconds(90);

export class Webhook extends Construct {
  /** The webhook's name in commands, marks and metrics. */
  readonly name: string;
  /** The queue of rings: each message names a return with an event that may be unsent. */
  readonly queue: sqs.Queue;
  /** Rings that SNS could not write to the queue. The daily sweep replaces them. */
  readonly undelivered: sqs.Queue;
  /** The signing secret. The receiver needs it to verify signatures. */
  readonly signingSecret: secretsmanager.ISecret;
  readonly sender: FeedFunction;
  readonly sweep: FeedFunction;

  constructor(scope: Construct, id: string, props: WebhookProps) {
    super(scope, id);
    const { options, encryptionKey, topic } = props;
    this.name = id;
    this.queue = createOrderedQueue(this, { encryptionKey, visibilityTimeout: VISIBILITY_TIMEOUT });
    // No dead-letter queue: only the sender decides when a ring is done.
    acknowledge(
      this.queue,
      'SQS3',
      'Its messages only wake the sender: the events are in the ledger, and a daily sweep wakes it again.',
    );
    this.undelivered = subscribeQueue(this, { topic, queue: this.queue, filter: options.filter ?? {} });
    this.signingSecret = options.secret ?? this.#createSecret(props);
    this.sender = this.#createSender(props);
    this.sweep = this.#createSweep(props);
    props.dailySweeps.add(id, `the webhook ${id}`, this.sweep);
    this.#record(props);
  }

  /** Do not change the properties of `generateSecretString`: CloudFormation would generate a new value. */
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
      'Its receiver needs the new value too, so an operator rotates it (webhooks rotate).',
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
    if (options.shape === 'return') allowTable(role, tables.snapshots, ['dynamodb:BatchGetItem']);
    allowConsuming(role, this.queue);
    allowSecret(role, this.signingSecret);
    if (typeof options.url !== 'string') allowSecret(role, options.url);
    for (const [, secret] of headersOf(options)) allowSecret(role, secret);
    if (options.clientCertificate !== undefined) allowSecret(role, options.clientCertificate);
    new lambda.EventSourceMapping(this, 'Mapping', {
      target: sender.function,
      eventSourceArn: this.queue.queueArn,
      // So that a failing return does not hold up others of its batch.
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
      description: `Wakes the sender for the ledger's events that the webhook ${this.name} missed`,
      environment: this.#environment(props),
      timeout: SWEEP_TIMEOUT,
      memorySizeMiB: 512,
    });
    this.#allowTables(sweep.role, props.tables);
    allowTable(sweep.role, props.tables.ledger, ['dynamodb:Scan']);
    if (props.options.shape === 'return') allow(sweep.role, ['dynamodb:Query'], behindIndexOf(props.tables));
    allowSending(sweep.role, this.queue);
    return sweep;
  }

  /** Allows the calls that the adapters of both functions make. They can write the feed's own events, but no return's. */
  #allowTables(role: iam.Role, tables: FeedTables): void {
    const { ledger, marks } = tables;
    allowGenerations(role, tables);
    allowTable(role, ledger, ['dynamodb:Query']);
    allowItems(role, ledger, ['dynamodb:PutItem'], FEED_GROUPS);
    allowItems(
      role,
      marks,
      ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
      `${this.name}#*`,
    );
  }

  /** functions/webhook/webhook-environment.ts parses it. */
  #environment({ options, tables }: WebhookProps): Record<string, string> {
    const { url, filter = {}, requestTimeout = DEFAULT_REQUEST_TIMEOUT } = options;
    return {
      WEBHOOK_ID: this.name,
      QUEUE_URL: this.queue.queueUrl,
      LEDGER_TABLE: tables.ledger.tableName,
      MARKS_TABLE: tables.marks.tableName,
      SNAPSHOTS_TABLE: tables.snapshots.tableName,
      SOURCES_TABLE: tables.sources.tableName,
      ...(typeof url === 'string' ? { WEBHOOK_URL: url } : { WEBHOOK_URL_SECRET: placeOf(url) }),
      SIGNING_SECRET: placeOf(this.signingSecret),
      ...(options.clientCertificate && { CLIENT_CERTIFICATE: placeOf(options.clientCertificate) }),
      SECRET_HEADERS: Stack.of(this).toJsonString(headerPlaces(options)),
      CONTENT_TYPE: contentTypeOf(options),
      ...(options.shape && { SHAPE: options.shape }),
      FILTER: JSON.stringify(filter),
      ADDRESSES: addressesOf(options),
      REQUEST_TIMEOUT_MS: `${requestTimeout.toMilliseconds()}`,
      MAX_CONCURRENCY: `${options.maxConcurrency ?? DEFAULT_CONCURRENCY}`,
      ...(options.maxPerSecond !== undefined && { MAX_PER_SECOND: `${options.maxPerSecond}` }),
      POWERTOOLS_METRICS_NAMESPACE: METRICS_NAMESPACE,
    };
  }

  /** Creates the parameter that operators' commands read. It names secrets, but contains none. */
  #record({ options, path }: WebhookProps): void {
    const { url, filter = {}, requestTimeout = DEFAULT_REQUEST_TIMEOUT } = options;
    const record: WebhookRecord = {
      id: this.name,
      ...(typeof url === 'string' ? { url } : { urlSecret: placeOf(url) }),
      signingSecret: placeOf(this.signingSecret),
      ...(options.clientCertificate && { clientCertificate: placeOf(options.clientCertificate) }),
      secretHeaders: headerPlaces(options),
      contentType: contentTypeOf(options),
      ...(options.shape && { shape: options.shape }),
      filter,
      addresses: addressesOf(options),
      requestTimeoutMs: requestTimeout.toMilliseconds(),
      ...(options.maxPerSecond !== undefined && { maxPerSecond: options.maxPerSecond }),
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

function behindIndexOf({ marks }: FeedTables): string {
  return `${marks.tableArn}/index/${TABLES.marks.index.name}`;
}

/** The secret's ARN, if it is known: a new secret may get the same name, but not the same ARN. */
function placeOf(secret: secretsmanager.ISecret): string {
  return secret.secretFullArn ?? secret.secretName;
}

function headerPlaces(options: WebhookOptions): Record<string, string> {
  return Object.fromEntries(
    headersOf(options).map(([name, secret]) => [name.toLowerCase(), placeOf(secret)]),
  );
}

function contentTypeOf({ contentType = DEFAULT_CONTENT_TYPE }: WebhookOptions): WebhookRecord['contentType'] {
  return contentType;
}

function addressesOf({ allowPrivateAddresses = false }: WebhookOptions): WebhookRecord['addresses'] {
  return allowPrivateAddresses ? 'private' : 'public';
}
