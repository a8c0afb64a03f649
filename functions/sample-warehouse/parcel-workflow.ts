// The workflow of a delivered parcel, in Step Functions.
import {
  ExecutionAlreadyExists,
  InvalidToken,
  SendTaskSuccessCommand,
  type SFNClient,
  StartExecutionCommand,
  TaskDoesNotExist,
  TaskTimedOut,
} from '@aws-sdk/client-sfn';
import type { DeliveredParcel } from '../../shared/deployment/sample-warehouse.ts';

export interface ParcelWorkflow {
  /** Starts the workflow of a delivery once: its name is the event's id. */
  start(name: string, parcel: DeliveredParcel): Promise<void>;
  /** Wakes the workflow that waits with this token; it reads the current state itself. */
  wake(token: string): Promise<void>;
}

export interface ParcelWorkflowOptions {
  readonly client: SFNClient;
  readonly stateMachineArn: string;
}

export function createParcelWorkflow({ client, stateMachineArn }: ParcelWorkflowOptions): ParcelWorkflow {
  return {
    async start(name, parcel) {
      const input = JSON.stringify(parcel);
      try {
        await client.send(new StartExecutionCommand({ stateMachineArn, name, input }));
      } catch (error) {
        // It has ended already. While it runs, Step Functions treats the same name and input as the same start.
        if (!(error instanceof ExecutionAlreadyExists)) throw error;
      }
    },
    async wake(taskToken) {
      try {
        await client.send(new SendTaskSuccessCommand({ taskToken, output: '{}' }));
      } catch (error) {
        if (!isOver(error)) throw error;
      }
    },
  };
}

/** Whether nobody waits with this token: woken before, timed out, or gone with a replaced state machine. */
function isOver(error: unknown): boolean {
  return error instanceof TaskTimedOut || error instanceof TaskDoesNotExist || error instanceof InvalidToken;
}
