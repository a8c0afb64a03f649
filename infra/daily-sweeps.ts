import { Duration } from 'aws-cdk-lib';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import type { FeedFunction } from './create-function.ts';
import { deadLetterDestination } from './dead-letter-destination.ts';
import type { Schedules } from './schedules.ts';

export interface DailySweeps {
  /** Starts a sweep once a day. @param title the destination, for descriptions */
  add(name: string, title: string, sweep: FeedFunction): void;
}

/** Lambda's longest timeout: a sweep reads the whole ledger. */
export const SWEEP_TIMEOUT = Duration.minutes(15);

/** @param deadLetters gets the invocations of sweeps that could not be started, or failed twice */
export function createDailySweeps(schedules: Schedules, deadLetters: sqs.Queue): DailySweeps {
  return {
    add(name, title, sweep) {
      sweep.function.configureAsyncInvoke({
        retryAttempts: 1,
        onFailure: deadLetterDestination(deadLetters),
      });
      schedules.invoke(`SweepOf-${name}`, sweep, {
        description: `Daily sweep of the ledger for ${title}`,
        ...{ every: Duration.days(1), triesFor: Duration.hours(1) },
      });
    },
  };
}
