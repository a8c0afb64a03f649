// Step Functions on this machine, as far as the sample warehouse needs it: one state machine of the Amazon States
// Language. Its DynamoDB tasks use a real engine over the wire. It keeps task tokens and time limits itself, and time
// only passes on request. Functions reach it by AWS_ENDPOINT_URL_SFN.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createExecutions, type Executions } from './executions.ts';
import { createTaskTokens } from './task-tokens.ts';

export interface StepFunctionsOptions {
  /**
   * The Amazon States Language as an object or as JSON, with names of resources in place of CloudFormation's functions.
   */
  readonly definition: string | object;
  /** The client for the definition's tasks. */
  readonly dynamoDb: DynamoDBClient;
  /** @default an ARN of its own */
  readonly stateMachineArn?: string;
}

export interface StepFunctionsEngine {
  readonly endpoint: string;
  readonly stateMachineArn: string;
  readonly executions: Omit<Executions, 'start'>;
  /** Whether it issued the token. */
  hasIssued(token: string): boolean;
  /** The number of tasks that wait for their tokens. */
  countWaiting(): number;
  /** Resolves when exactly this many tasks wait for their tokens. */
  untilWaiting(count: number): Promise<void>;
  /** Advances time; tasks fail with `States.Timeout` after their limit. */
  passTime(seconds: number): void;
  stop(): Promise<void>;
}

export async function startStepFunctions({
  definition,
  dynamoDb,
  stateMachineArn = 'arn:aws:states:us-east-1:000000000000:stateMachine:Parcel',
}: StepFunctionsOptions): Promise<StepFunctionsEngine> {
  const tokens = createTaskTokens();
  const parsed = typeof definition === 'string' ? JSON.parse(definition) : definition;
  const executions = createExecutions({ definition: parsed, dynamoDb, tokens });
  /** https://docs.aws.amazon.com/step-functions/latest/apireference/API_Operations.html */
  const operations: Operations = {
    StartExecution({ stateMachineArn: arn, name = '', input = '{}' }) {
      if (arn !== stateMachineArn) return refusal('StateMachineDoesNotExist');
      if (!executions.start(name, input)) return refusal('ExecutionAlreadyExists');
      const executionArn = `${arn.replace(':stateMachine:', ':execution:')}:${name}`;
      return { status: 200, body: { executionArn, startDate: Date.now() / 1_000 } };
    },
    SendTaskSuccess({ taskToken = '', output = '{}' }) {
      const refused = tokens.succeed(taskToken, JSON.parse(output));
      return refused === undefined ? { status: 200, body: {} } : refusal(refused);
    },
  };
  const server = createServer((request, response) => {
    serve(operations, request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    ...{ endpoint: `http://127.0.0.1:${port}`, stateMachineArn, executions },
    hasIssued: tokens.hasIssued,
    countWaiting: tokens.countWaiting,
    untilWaiting: tokens.untilWaiting,
    passTime: tokens.passTime,
    stop: () => {
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

type Answer = { readonly status: number; readonly body: object };
type Operations = Readonly<Record<string, (body: Readonly<Record<string, string | undefined>>) => Answer>>;

async function serve(operations: Operations, request: IncomingMessage, response: ServerResponse) {
  const [service, name = ''] = String(request.headers['x-amz-target']).split('.');
  const body = JSON.parse(await text(request));
  const operation = service === 'AWSStepFunctions' ? operations[name] : undefined;
  const answer = operation?.(body) ?? refusal('UnknownOperationException');
  response
    .writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' })
    .end(JSON.stringify(answer.body));
}

function refusal(type: string): Answer {
  return { status: 400, body: { __type: `com.amazonaws.swf.service.v2.model#${type}`, message: type } };
}
