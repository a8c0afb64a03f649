// Invokes deployed functions, and stops and starts their triggers, as an operator of Lambda does.
import {
  InvokeCommand,
  LambdaClient,
  ListEventSourceMappingsCommand,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';

const lambda = new LambdaClient();

/** @returns what the function returned. @throws Error with what it threw */
export async function invoke(FunctionName: string, payload: unknown): Promise<unknown> {
  const { FunctionError, Payload } = await lambda.send(
    new InvokeCommand({ FunctionName, Payload: Buffer.from(JSON.stringify(payload)) }),
  );
  const text = Payload?.transformToString() || 'null';
  if (FunctionError) throw new Error(`${FunctionName}: ${FunctionError}: ${text}`);
  return JSON.parse(text);
}

/** Whether the functions' streams and queues wake them. */
export async function setWaking(functionNames: readonly string[], Enabled: boolean): Promise<void> {
  for (const FunctionName of functionNames) {
    const { EventSourceMappings = [] } = await lambda.send(
      new ListEventSourceMappingsCommand({ FunctionName }),
    );
    if (EventSourceMappings.length === 0) throw new Error(`Nothing wakes ${FunctionName}.`);
    for (const { UUID } of EventSourceMappings)
      await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled }));
  }
}
