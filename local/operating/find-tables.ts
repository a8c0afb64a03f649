// The tables of a deployment: by the outputs of its stack, or by the variables that its functions have as well.
import type { TableNames } from '../../shared/tables.ts';
import { UsageError } from '../cli/failures.ts';

type Tables = Pick<TableNames, 'sources' | 'snapshots' | 'ledger'>;

const VARIABLES = { sources: 'SOURCES_TABLE', snapshots: 'SNAPSHOTS_TABLE', ledger: 'LEDGER_TABLE' } as const;
const OUTPUTS = { sources: 'SourcesTable', snapshots: 'SnapshotsTable', ledger: 'LedgerTable' } as const;

/** @returns undefined where none is named. @throws UsageError where only some are */
export function findTablesInEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Tables | undefined {
  const missing = Object.values(VARIABLES).filter((name) => !environment[name]);
  if (missing.length === Object.keys(VARIABLES).length) return undefined;
  if (missing.length > 0)
    throw new UsageError(`The tables are not all named: ${missing.join(', ')} is missing.`);
  return pick(VARIABLES, (name) => environment[name]);
}

/** @throws Error where there is no such stack, or it is not one of the feed's */
export async function findStackTables(stack: string): Promise<Tables> {
  // Only who asks for a stack pays for loading this.
  const { CloudFormationClient, DescribeStacksCommand } = await import('@aws-sdk/client-cloudformation');
  const client = new CloudFormationClient();
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stack }));
    const outputs = new Map(
      Stacks?.[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]),
    );
    const missing = Object.values(OUTPUTS).filter((name) => !outputs.get(name));
    if (missing.length > 0) {
      throw new Error(
        `The stack ${stack} does not say which its tables are: it has no output ${missing.join(', ')}.`,
      );
    }
    return pick(OUTPUTS, (name) => outputs.get(name));
  } finally {
    client.destroy();
  }
}

function pick(
  names: Readonly<Record<keyof Tables, string>>,
  find: (name: string) => string | undefined,
): Tables {
  const { sources, snapshots, ledger } = names;
  return { sources: find(sources) ?? '', snapshots: find(snapshots) ?? '', ledger: find(ledger) ?? '' };
}
