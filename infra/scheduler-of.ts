import { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as scheduler from 'aws-cdk-lib/aws-scheduler';

/** The principal of EventBridge Scheduler, limited to the schedules of this group. */
export function schedulerOf(group: scheduler.IScheduleGroup): iam.ServicePrincipal {
  return new iam.ServicePrincipal('scheduler.amazonaws.com', {
    conditions: {
      StringEquals: {
        'aws:SourceAccount': Stack.of(group).account,
        'aws:SourceArn': group.scheduleGroupArn,
      },
    },
  });
}
