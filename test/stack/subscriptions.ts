// The template's subscriptions. The engine ignores policies, so they are checked here: SNS writes to a queue, and to the
// subscription's dead-letter queue, only if that queue's policy allows it for this topic.
import { SubscribeCommand } from '@aws-sdk/client-sns';
import { type PermissionCheck, refusalOf } from './permission-checks.ts';
import { resourcesOf } from './template.ts';
import type { World } from './world.ts';

export async function subscribeQueues(world: World): Promise<void> {
  for (const [id] of resourcesOf(world.template, 'AWS::SNS::Subscription')) {
    const { TopicArn, Protocol, Endpoint, RedrivePolicy, ...properties } = world.properties(id);
    if (Protocol !== 'sqs') continue;
    const context = { 'aws:SourceArn': TopicArn, 'aws:SecureTransport': 'true' };
    const refused = [Endpoint, RedrivePolicy.deadLetterTargetArn].filter((resource) => {
      const check: PermissionCheck = {
        caller: TopicArn,
        principal: { service: 'sns.amazonaws.com' },
        permission: { action: 'sqs:SendMessage', resource, context },
      };
      if (world.checks.passes(check)) return false;
      world.fail(refusalOf(check));
      return true;
    });
    // SNS does not retry a denied write: the events are in the subscription's dead-letter queue, or lost.
    if (refused.includes(Endpoint)) continue;
    const { FilterPolicy, FilterPolicyScope, RawMessageDelivery } = properties;
    await world.sns.send(
      new SubscribeCommand({
        ...{ TopicArn, Protocol, Endpoint },
        Attributes: {
          ...(RawMessageDelivery !== undefined && { RawMessageDelivery: String(RawMessageDelivery) }),
          ...(FilterPolicy !== undefined && { FilterPolicy: JSON.stringify(FilterPolicy) }),
          ...(FilterPolicyScope !== undefined && { FilterPolicyScope }),
          RedrivePolicy: JSON.stringify(RedrivePolicy),
        },
      }),
    );
  }
}
