// The rules of `onChange`: each matches one status change on the bus and sends it to a target.
import { Duration, Stack } from 'aws-cdk-lib';
import * as events from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type ChangePatternOptions, changePattern, listOf } from '../shared/contract/event-pattern.ts';
import type { WatchedKind } from '../shared/contract/watched-fields.ts';
import { acknowledge } from './acknowledge.ts';
import { createDeadLetterQueue } from './create-queue.ts';
import { deadLetterDestination } from './dead-letter-destination.ts';
import type { Monitoring } from './monitoring.ts';
import { placeBeside } from './place-beside.ts';

export interface OnChangeOptions<Kind extends WatchedKind> extends ChangePatternOptions<Kind> {
  /**
   * The target of the event: a function, or any other target of a rule. If the function is in another stack, the rule,
   * its dead-letter queue and the queue's alarm are created in that stack.
   */
  readonly target: lambda.IFunction | events.IRuleTarget;
  /** @default derived from entity and conditions */
  readonly description?: string;
}

export interface BusSubscribersProps {
  readonly bus: events.EventBus;
  readonly encryptionKey: kms.IKey | undefined;
  readonly monitoring: Monitoring;
}

export class BusSubscribers extends Construct {
  readonly #props: BusSubscribersProps;
  /** One queue for each stack that has subscribers. */
  readonly #deadLetters = new Map<Stack, sqs.Queue>();

  constructor(scope: Construct, id: string, props: BusSubscribersProps) {
    super(scope, id);
    this.#props = props;
  }

  onChange<Kind extends WatchedKind>(id: string, options: OnChangeOptions<Kind>): events.Rule {
    const { target, description = describe(options) } = options;
    const scope = isFunction(target) ? placeBeside(this, target) : this;
    return new events.Rule(scope, id, {
      eventBus: this.#props.bus as events.IEventBus,
      description,
      eventPattern: changePattern(options),
      targets: [isFunction(target) ? this.#invoke(target, scope) : target],
    });
  }

  /** If the delivery or the function fails, the event goes to the dead-letter queue, which has an alarm. */
  #invoke(fn: lambda.IFunction, scope: Construct): events.IRuleTarget {
    const deadLetterQueue = this.#deadLetters.get(Stack.of(fn)) ?? this.#createDeadLetters(scope);
    if (fn.node.tryFindChild('EventInvokeConfig') === undefined)
      fn.configureAsyncInvoke({ retryAttempts: 2, onFailure: deadLetterDestination(deadLetterQueue) });
    return new targets.LambdaFunction(fn, {
      deadLetterQueue,
      retryAttempts: 185,
      maxEventAge: Duration.hours(24),
    });
  }

  #createDeadLetters(scope: Construct): sqs.Queue {
    const { encryptionKey, monitoring } = this.#props;
    const deadLetters = createDeadLetterQueue(scope, 'DeadLetters', { encryptionKey });
    acknowledge(
      deadLetters,
      'SQS3',
      'It is a dead-letter queue itself, of rules; an alarm reports every message in it.',
    );
    monitoring.watchBusDeadLetters(deadLetters, scope === this ? monitoring : scope);
    this.#deadLetters.set(Stack.of(scope), deadLetters);
    return deadLetters;
  }
}

function describe<Kind extends WatchedKind>({ entity, to, from, changed }: OnChangeOptions<Kind>): string {
  const words = (before: string, values: string | readonly string[] | undefined) =>
    values === undefined ? '' : `${before}${listOf(values).join(' or ')}`;
  return `${entity}${words(' from ', from)}${words(' to ', to)}${words(': changed ', changed)}`;
}

function isFunction(target: lambda.IFunction | events.IRuleTarget): target is lambda.IFunction {
  return 'functionArn' in target;
}
