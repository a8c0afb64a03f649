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
  /** Starts the workflow of a delivery, once: the name is its event's id. */
  start(name: string, parcel: DeliveredParcel): Promise<void>;
  /** Lets a workflow go on that waits with this token; it looks for itself what there is to be seen. */
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
        // It is over already. While it runs, Step Functions takes the same name and input for the same start.
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

/** Woken before, past its time limit, or gone with a state machine that was replaced: nobody waits with this token. */
function isOver(error: unknown): boolean {
  return error instanceof TaskTimedOut || error instanceof TaskDoesNotExist || error instanceof InvalidToken;
}
