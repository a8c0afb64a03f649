import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { allowSending } from './allow.ts';

/**
 * The destination of what a function finally failed, for an event source mapping or an asynchronous invocation. CDK's
 * own destinations allow more than sending.
 */
export function deadLetterDestination(queue: sqs.IQueue): lambda.IEventSourceDlq & lambda.IDestination {
  return {
    bind(_mappingOrScope: unknown, fn: lambda.IFunction) {
      allowSending(fn, queue);
      return { destination: queue.queueArn };
    },
  };
}
