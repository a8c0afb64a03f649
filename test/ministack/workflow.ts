// The executions of a deployed state machine.
import { DescribeExecutionCommand, ListExecutionsCommand, SFNClient } from '@aws-sdk/client-sfn';

export interface Execution {
  /** The id of the event that started it. */
  readonly name: string | undefined;
  readonly status: string | undefined;
  readonly output: { readonly decisions?: readonly { readonly part: string; readonly decision: string }[] };
}

const client = new SFNClient();

export async function listExecutions(stateMachineArn: string): Promise<Execution[]> {
  const { executions = [] } = await client.send(
    new ListExecutionsCommand({ stateMachineArn, maxResults: 1_000 }),
  );
  return Promise.all(
    executions.map(async ({ executionArn }) => {
      const {
        name,
        status,
        output = '{}',
      } = await client.send(new DescribeExecutionCommand({ executionArn }));
      return { name, status, output: JSON.parse(output) };
    }),
  );
}
