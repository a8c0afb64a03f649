import { Duration } from 'aws-cdk-lib';
import type * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type * as ec2 from 'aws-cdk-lib/aws-ec2';
import type * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager';
import type { EventFilter } from '../shared/contract/event-filter.ts';
import type { ContentType } from '../shared/deployment/content-type.ts';
import type { MessageShape } from '../shared/deployment/message-shape.ts';

/** A network for the sender. It needs routes to the endpoint, DynamoDB, SQS and Secrets Manager. */
export interface WebhookNetwork {
  readonly vpc: ec2.IVpc;
  /** @default the private subnets of the VPC */
  readonly subnets?: ec2.SubnetSelection;
  /** @default a new one, which allows all outbound connections */
  readonly securityGroups?: readonly ec2.ISecurityGroup[];
}

export interface WebhookOptions {
  /** The https URL that events are posted to. If the URL contains a credential: a secret that contains only the URL. */
  readonly url: string | secretsmanager.ISecret;
  /**
   * The events that the webhook gets. A new or changed filter takes effect within 15 minutes.
   * @default all changes
   */
  readonly filter?: EventFilter;
  /**
   * What is posted: each `event`, or the whole `return` as it is at the attempt, with what has changed. A receiver of
   * whole returns that was away gets each changed return once.
   * @default 'event'
   */
  readonly shape?: MessageShape;
  /**
   * The signing secret: base64 of 24 to 64 bytes, with or without the prefix `whsec_`.
   * @default a new secret, see {@link Webhook.signingSecret}
   */
  readonly secret?: secretsmanager.ISecret;
  /** The secret with the value of the header `authorization`, for instance `Bearer …`. */
  readonly authorization?: secretsmanager.ISecret;
  /** Other headers: each name with the secret that contains its value. At most five, `authorization` included. */
  readonly secretHeaders?: Readonly<Record<string, secretsmanager.ISecret>>;
  /**
   * The secret with the client certificate, for an endpoint that asks for one (mTLS): PEM, the certificate with its chain,
   * and its private key. Senders use a new value within five minutes.
   * @default none
   */
  readonly clientCertificate?: secretsmanager.ISecret;
  /**
   * The media type of the body. SDKs of CloudEvents need the default; `application/json` is for receivers that parse
   * nothing else.
   * @default 'application/cloudevents+json'
   */
  readonly contentType?: ContentType;
  /**
   * Timeout of a request, until the response's status arrives; 1 to 25 seconds.
   * @default Duration.seconds(15)
   */
  readonly requestTimeout?: Duration;
  /**
   * Maximum number of concurrent requests, 2 to 1,000. A return's events are posted one after the other,
   * except while a `redrive` of the return runs beside its sender.
   * @default 5
   */
  readonly maxConcurrency?: number;
  /**
   * Maximum number of requests a second on average, `maxConcurrency` / 20 to 1,000; after a rest, up to
   * `maxConcurrency` at once. Each request occupies a sender for `maxConcurrency` / `maxPerSecond` seconds.
   * @default none
   */
  readonly maxPerSecond?: number;
  /**
   * The network of the sender, for endpoints in a private network.
   * @default none: the sender can reach only the internet
   */
  readonly vpc?: ec2.IVpc | WebhookNetwork;
  /**
   * Whether the endpoint may have an address of a private network (RFC 1918, fc00::/7). Loopback and link-local
   * addresses are always rejected.
   * @default false
   */
  readonly allowPrivateAddresses?: boolean;
  /**
   * Time that an event, or the endpoint, must fail until the alarm goes off; at least a minute.
   * @default Duration.hours(1)
   */
  readonly alarmAfter?: Duration;
  /**
   * The action for the endpoint's owner, besides the feed's own: when the endpoint has failed for `alarmAfter`, when it
   * has failed for a day, and when it accepts events again.
   * @default none
   */
  readonly alarmAction?: cloudwatch.IAlarmAction;
  /**
   * The owner's e-mail address, which gets a mail at the same times. AWS first sends a mail with a link to confirm it.
   * @default none
   */
  readonly notify?: string;
}

export const DEFAULT_REQUEST_TIMEOUT = Duration.seconds(15);
export const DEFAULT_CONCURRENCY = 5;
export const DEFAULT_ALARM_AFTER = Duration.hours(1);

/** All headers with secret values. */
export function headersOf({
  authorization,
  secretHeaders,
}: WebhookOptions): readonly (readonly [name: string, secret: secretsmanager.ISecret])[] {
  return [
    ...(authorization === undefined ? [] : [['authorization', authorization] as const]),
    ...Object.entries(secretHeaders ?? {}),
  ];
}

export function networkOf({ vpc }: WebhookOptions): WebhookNetwork | undefined {
  return vpc === undefined || 'vpc' in vpc ? vpc : { vpc };
}
