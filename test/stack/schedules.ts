// The template's schedules. A test triggers them.
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { resourcesOf } from './template.ts';
import type { World } from './world.ts';

export interface Schedules {
  /**
   * Triggers every schedule with an expression, and resolves when the targets have accepted it.
   *
   * @param expression for instance `rate(1 minute)`
   * @param at the scheduled time
   * @returns the number of triggered schedules
   */
  comeDue(expression: string, at: Date): Promise<number>;
}

export function createSchedules(world: World): Schedules {
  return {
    async comeDue(expression, at) {
      const due = resourcesOf(world.template, 'AWS::Scheduler::Schedule')
        .map(([id]) => world.properties(id))
        .filter(({ ScheduleExpression, State }) => ScheduleExpression === expression && State !== 'DISABLED');
      await Promise.all(due.map(({ Target }) => start(world, Target, at)));
      return due.length;
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: properties as they come
async function start(world: World, { Arn, RoleArn, Input = '{}' }: any, at: Date): Promise<void> {
  // Whole seconds, as in EventBridge Scheduler.
  const scheduledTime = `${at.toISOString().slice(0, 19)}Z`;
  const input = Input.replaceAll('<aws.scheduler.scheduled-time>', scheduledTime);
  if (Arn.includes(':sqs:')) {
    world.require(RoleArn, { action: 'sqs:SendMessage', resource: Arn });
    const QueueUrl = world.created.queueUrl(Arn);
    await world.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: input }));
  } else {
    world.require(RoleArn, { action: 'lambda:InvokeFunction', resource: Arn });
    await world.functionOf(Arn).invoke(JSON.parse(input)).catch(world.fail);
  }
}
