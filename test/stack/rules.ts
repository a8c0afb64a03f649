// The bus's rules, each with its targets, and its archives, as the template defines them.
import type { EventBus } from '../engines/event-bus.ts';
import { resourcesOf } from './template.ts';
import type { World } from './world.ts';

export interface RulesOptions {
  readonly bus: Pick<EventBus, 'subscribe'>;
  readonly archived: unknown[];
}

export function subscribeRules(world: World, { bus, archived }: RulesOptions): void {
  for (const [id] of resourcesOf(world.template, 'AWS::Events::Rule')) {
    const { EventPattern, Targets = [], State = 'ENABLED' } = world.properties(id);
    if (State !== 'ENABLED') continue;
    const ruleArn = world.created.names.attribute(id, 'Arn');
    for (const { Arn } of Targets as { Arn: string }[]) {
      if (!mayInvoke(world, ruleArn, Arn)) world.fail(`${ruleArn} is not allowed to invoke ${Arn}`);
      const lambda = world.functionOf(Arn);
      bus.subscribe(EventPattern, (event) => lambda.invoke(event).catch(world.fail));
    }
  }
  for (const [id] of resourcesOf(world.template, 'AWS::Events::Archive'))
    bus.subscribe(world.properties(id).EventPattern, (event) => archived.push(event));
}

function mayInvoke(world: World, ruleArn: string, functionArn: string): boolean {
  return resourcesOf(world.template, 'AWS::Lambda::Permission').some(([id]) => {
    const { Action, FunctionName, Principal, SourceArn } = world.properties(id);
    return (
      Action === 'lambda:InvokeFunction' &&
      FunctionName === functionArn &&
      Principal === 'events.amazonaws.com' &&
      SourceArn === ruleArn
    );
  });
}
