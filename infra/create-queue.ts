import { Duration } from 'aws-cdk-lib';
import type * as kms from 'aws-cdk-lib/aws-kms';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

/** The longest retention of SQS. */
export const LONGEST_RETENTION = Duration.days(14);

export type QueueOptions = Omit<sqs.QueueProps, 'encryption' | 'encryptionMasterKey' | 'enforceSSL'> & {
  readonly encryptionKey: kms.IKey | undefined;
};

/** Creates a queue that requires TLS, encrypted with the given key or else with SQS's own key. */
export function createQueue(
  scope: Construct,
  id: string,
  { encryptionKey, ...props }: QueueOptions,
): sqs.Queue {
  return new sqs.Queue(scope, id, {
    ...props,
    enforceSSL: true,
    ...(encryptionKey === undefined
      ? { encryption: sqs.QueueEncryption.SQS_MANAGED }
      : { encryption: sqs.QueueEncryption.KMS, encryptionMasterKey: encryptionKey }),
  });
}

/** Creates a dead-letter queue, with SQS's longest retention. */
export function createDeadLetterQueue(
  scope: Construct,
  id: string,
  options: Pick<QueueOptions, 'encryptionKey' | 'fifo'>,
): sqs.Queue {
  return createQueue(scope, id, { ...options, retentionPeriod: LONGEST_RETENTION });
}
