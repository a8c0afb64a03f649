import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as scheduler from 'aws-cdk-lib/aws-scheduler';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { allow, allowSending } from './allow.ts';
import type { FeedFunction } from './create-function.ts';
import { deadLetterDestination } from './dead-letter-destination.ts';
import { schedulerOf } from './scheduler-of.ts';

export interface DailySweeps {
  /** Starts a sweep once a day. @param title the destination, for descriptions */
  add(name: string, title: string, sweep: FeedFunction): void;
}

/** Lambda's longest timeout: a sweep reads the whole ledger. */
export const SWEEP_TIMEOUT = Duration.minutes(15);

/** @param deadLetters gets the invocations of sweeps that could not be started, or failed twice */
export function createDailySweeps(scope: Construct, deadLetters: sqs.Queue): DailySweeps {
  // Removed with the stack, like the sources' group: a retained group would block the next deployment.
  const group = new scheduler.ScheduleGroup(scope, 'Schedules', { removalPolicy: RemovalPolicy.DESTROY });
  const role = new iam.Role(scope, 'SchedulesRole', {
    description: 'Starts the daily sweeps',
    assumedBy: schedulerOf(group),
  });
  allowSending(role, deadLetters);
  return {
    add(name, title, { function: sweep }) {
      allow(role, ['lambda:InvokeFunction'], sweep.functionArn);
      sweep.configureAsyncInvoke({
        retryAttempts: 1,
        onFailure: deadLetterDestination(deadLetters),
      });
      new scheduler.Schedule(scope, `SweepOf-${name}`, {
        description: `Daily sweep of the ledger for ${title}`,
        scheduleGroup: group,
        schedule: scheduler.ScheduleExpression.rate(Duration.days(1)),
        target: {
          bind: () => ({
            arn: sweep.functionArn,
            role,
            deadLetterConfig: { arn: deadLetters.queueArn },
            retryPolicy: { maximumEventAgeInSeconds: 3_600, maximumRetryAttempts: 5 },
          }),
        },
      });
    },
  };
}
