// The feed's schedules: one group, and one role that invokes the functions.
import { type Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as scheduler from 'aws-cdk-lib/aws-scheduler';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { allow, allowSending } from './allow.ts';
import type { FeedFunction } from './create-function.ts';

export interface ScheduleOptions {
  readonly description: string;
  readonly every: Duration;
  /** How long it tries to start an invocation; one that it could not start is a dead letter. */
  readonly triesFor: Duration;
  /** The event. @default none of its own */
  readonly input?: scheduler.ScheduleTargetInput;
}

export class Schedules extends Construct {
  readonly #group: scheduler.ScheduleGroup;
  readonly #role: iam.Role;
  readonly #deadLetters: sqs.Queue;

  constructor(scope: Construct, id: string, deadLetters: sqs.Queue) {
    super(scope, id);
    // Removed with the stack: a retained group would block the next deployment.
    this.#group = new scheduler.ScheduleGroup(this, 'Group', { removalPolicy: RemovalPolicy.DESTROY });
    const { account } = Stack.of(this);
    const conditions = {
      StringEquals: { 'aws:SourceAccount': account, 'aws:SourceArn': this.#group.scheduleGroupArn },
    };
    this.#role = new iam.Role(this, 'Role', {
      description: 'Starts the dispatcher and the daily sweeps',
      assumedBy: new iam.ServicePrincipal('scheduler.amazonaws.com', { conditions }),
    });
    this.#deadLetters = deadLetters;
    allowSending(this.#role, deadLetters);
  }

  /** @param id of the schedule */
  invoke(id: string, { function: { functionArn } }: FeedFunction, options: ScheduleOptions): void {
    const { description, every, triesFor, input } = options;
    allow(this.#role, ['lambda:InvokeFunction'], functionArn);
    new scheduler.Schedule(this, id, {
      description,
      scheduleGroup: this.#group,
      schedule: scheduler.ScheduleExpression.rate(every),
      target: {
        bind: () => ({
          arn: functionArn,
          role: this.#role,
          ...(input && { input }),
          deadLetterConfig: { arn: this.#deadLetters.queueArn },
          retryPolicy: { maximumEventAgeInSeconds: triesFor.toSeconds(), maximumRetryAttempts: 5 },
        }),
      },
    });
  }
}
