// The workflow of a delivered parcel. It handles each line item independently: it waits for a final status, reads it
// and decides. To wait, it stores a task token in the table itself, if the item has no final status yet; a function in
// between would have to read and write in two steps. When the token is sent back, or the time limit ends, it reads the
// status from the table. So a line item may be done before the workflow starts, and the token may be sent back more than
// once.
import type { Duration } from 'aws-cdk-lib';
import type * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import type * as logs from 'aws-cdk-lib/aws-logs';
import * as sfn from 'aws-cdk-lib/aws-stepfunctions';
import { CallAwsService } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { Construct } from 'constructs';
import { type Decision, DONE_STATUS, OPEN_STATUSES } from '../shared/deployment/sample-warehouse.ts';
import { acknowledge } from './acknowledge.ts';

export interface ParcelWorkflowProps {
  /** A table of the shape of {@link WAREHOUSE_TABLE}. */
  readonly table: dynamodb.ITable;
  /** Time from the parcel's delivery until a line item must be done; at most a year. */
  readonly timeLimit: Duration;
  readonly logs: logs.ILogGroup;
}

interface TableCall {
  readonly action: 'getItem' | 'updateItem';
  /** JSONPath of the part's id in the state's input. */
  readonly part: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly output?: Pick<sfn.TaskStateJsonPathBaseProps, 'resultPath' | 'resultSelector'>;
  /** Maximum time to wait for the task's token. @default does not wait */
  readonly waits?: Duration;
}

/** Errors that only end the wait: the item already has a final status, or the time limit ended. */
const NO_FAILURE = [
  sfn.Errors.TIMEOUT,
  'DynamoDb.ConditionalCheckFailedException',
  // The prefix of Step Functions' older integration with DynamoDB.
  'DynamoDB.ConditionalCheckFailedException',
];

const text = (path: string) => ({ S: sfn.JsonPath.stringAt(path) });

export class ParcelWorkflow extends Construct {
  readonly stateMachine: sfn.StateMachine;
  readonly #props: ParcelWorkflowProps;

  constructor(scope: Construct, id: string, props: ParcelWorkflowProps) {
    super(scope, id);
    this.#props = props;
    this.stateMachine = new sfn.StateMachine(this, 'StateMachine', {
      comment: 'Decides for each line item of a delivered parcel',
      definitionBody: sfn.DefinitionBody.fromChainable(this.#expectParcel()),
      // Execution data contains task tokens, and a token allows its reader to continue the workflow.
      logs: { destination: props.logs, level: sfn.LogLevel.ALL, includeExecutionData: false },
      tracingEnabled: true,
    });
    acknowledge(
      this.stateMachine.role,
      'IAM5[Resource::*]',
      'The actions for log deliveries and X-Ray segments support no resource-level permissions.',
    );
  }

  #expectParcel(): sfn.IChainable {
    const each = new sfn.Map(this, 'Each line item', {
      itemsPath: '$.line_items',
      itemSelector: {
        'return_group.$': '$.return_group',
        'parcel.$': '$.parcel',
        'expires.$': '$.expires',
        'line_item.$': '$$.Map.Item.Value',
      },
      resultPath: '$.decisions',
    }).itemProcessor(this.#expectLineItem());
    return new sfn.Choice(this, 'Are its line items known')
      .when(sfn.Condition.isPresent('$.line_items[0]'), each)
      .otherwise(this.#decide('Escalate the parcel', 'ESCALATE', '$.parcel'));
  }

  #expectLineItem(): sfn.IChainable {
    const look = this.#look();
    const isKnown = sfn.Condition.isPresent(STATUS);
    const open = isOneOf(STATUS, OPEN_STATUSES);
    return this.#expect()
      .next(this.#wait(look))
      .next(look)
      .next(
        new sfn.Choice(this, 'Inspect')
          .when(
            sfn.Condition.and(isKnown, sfn.Condition.stringEquals(STATUS, DONE_STATUS)),
            this.#decide('Restock', 'RESTOCK', '$.line_item'),
          )
          .when(
            sfn.Condition.and(isKnown, sfn.Condition.not(open)),
            this.#decide('Quarantine', 'QUARANTINE', '$.line_item'),
          )
          .otherwise(this.#decide('Escalate', 'ESCALATE', '$.line_item')),
      );
  }

  #expect(): sfn.TaskStateBase {
    return this.#call('Expect the goods', {
      action: 'updateItem',
      part: '$.line_item',
      parameters: {
        UpdateExpression: 'ADD parcels :parcel SET expires = if_not_exists(expires, :expires)',
        ExpressionAttributeValues: {
          ':parcel': { SS: sfn.JsonPath.array(sfn.JsonPath.stringAt('$.parcel')) },
          ':expires': { N: sfn.JsonPath.stringAt('$.expires') },
        },
      },
      output: { resultPath: sfn.JsonPath.DISCARD },
    });
  }

  #wait(look: sfn.IChainable): sfn.TaskStateBase {
    const waitForStatus = this.#call('Wait for a status', {
      action: 'updateItem',
      part: '$.line_item',
      parameters: {
        UpdateExpression: 'ADD waiting :token',
        ConditionExpression: `attribute_not_exists(#status) OR #status IN (${placeholders().join(', ')})`,
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ':token': { SS: sfn.JsonPath.array(sfn.JsonPath.taskToken) },
          ...Object.fromEntries(placeholders().map((name, place) => [name, { S: OPEN_STATUSES[place] }])),
        },
      },
      output: { resultPath: sfn.JsonPath.DISCARD },
      waits: this.#props.timeLimit,
    });
    return waitForStatus.addCatch(look, {
      errors: NO_FAILURE,
      resultPath: sfn.JsonPath.DISCARD,
    });
  }

  #look(): sfn.TaskStateBase {
    return this.#call('Read the line item', {
      action: 'getItem',
      part: '$.line_item',
      parameters: { ConsistentRead: true },
      output: { resultPath: '$.found' },
    });
  }

  /** Stores the decision. Call your warehouse's own system here. */
  #decide(id: string, decision: Decision, part: string): sfn.TaskStateBase {
    return this.#call(id, {
      action: 'updateItem',
      part,
      parameters: {
        UpdateExpression: 'SET decision = :decision',
        ExpressionAttributeValues: { ':decision': { S: decision } },
        ReturnValues: 'ALL_NEW',
      },
      output: {
        resultSelector: { 'part.$': '$.Attributes.part.S', 'decision.$': '$.Attributes.decision.S' },
      },
    });
  }

  #call(id: string, { action, part, parameters, output, waits }: TableCall): sfn.TaskStateBase {
    const { table } = this.#props;
    const task = new CallAwsService(this, id, {
      service: 'dynamodb',
      action,
      iamAction: `dynamodb:${action.charAt(0).toUpperCase()}${action.slice(1)}`,
      iamResources: [table.tableArn],
      parameters: {
        TableName: table.tableName,
        Key: { return_group: text('$.return_group'), part: text(part) },
        ...parameters,
      },
      ...(waits && {
        integrationPattern: sfn.IntegrationPattern.WAIT_FOR_TASK_TOKEN,
        taskTimeout: sfn.Timeout.duration(waits),
      }),
      ...output,
    });
    if (waits !== undefined) task.addRetry({ errors: NO_FAILURE, maxAttempts: 0 });
    return task.addRetry({
      errors: [sfn.Errors.TASKS_FAILED],
      maxAttempts: 6,
      jitterStrategy: sfn.JitterType.FULL,
    });
  }
}

const STATUS = '$.found.Item.status.S';

function placeholders(): string[] {
  return OPEN_STATUSES.map((_, place) => `:open${place}`);
}

function isOneOf(path: string, values: readonly string[]): sfn.Condition {
  return sfn.Condition.or(...values.map((value) => sfn.Condition.stringEquals(path, value)));
}
