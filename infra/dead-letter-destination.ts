import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { allowSending } from './allow.ts';

/**
 * Where Lambda sends the records of an event source mapping, or the events of asynchronous invocations, that a function
 * failed at on every retry. CDK's own destinations also grant other actions than sending.
 */
export function deadLetterDestination(queue: sqs.IQueue): lambda.IEventSourceDlq & lambda.IDestination {
  return {
    bind(_mappingOrScope: unknown, fn: lambda.IFunction) {
      allowSending(fn, queue);
      return { destination: queue.queueArn };
    },
  };
}
