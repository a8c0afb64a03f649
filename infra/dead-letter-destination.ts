import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { allowSending } from './allow.ts';

/**
 * Where an event source mapping or an asynchronous invocation leaves what a function failed for good. CDK's own
 * destinations allow more than sending.
 */
export function deadLetterDestination(queue: sqs.IQueue): lambda.IEventSourceDlq & lambda.IDestination {
  return {
    bind(_mappingOrScope: unknown, fn: lambda.IFunction) {
      allowSending(fn, queue);
      return { destination: queue.queueArn };
    },
  };
}
