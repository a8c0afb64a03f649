import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { allowSending } from './allow.ts';

/**
 * A destination for records or events that a function failed on every retry, of an event source mapping or of
 * asynchronous invocations. CDK's own destinations also grant other actions than sending.
 */
export function deadLetterDestination(queue: sqs.IQueue): lambda.IEventSourceDlq & lambda.IDestination {
  return {
    bind(_mappingOrScope: unknown, fn: lambda.IFunction) {
      allowSending(fn, queue);
      return { destination: queue.queueArn };
    },
  };
}
