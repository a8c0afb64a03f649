// What a deployment is made of: by the outputs of its stack, or by the variables that its functions have as well.
import { UsageError } from '../cli/failures.ts';

/** Each by the output of a stack and the variable that name it. What no command at hand needs may be missing. */
const PARTS = {
  sources: { output: 'SourcesTable', variable: 'SOURCES_TABLE' },
  snapshots: { output: 'SnapshotsTable', variable: 'SNAPSHOTS_TABLE' },
  ledger: { output: 'LedgerTable', variable: 'LEDGER_TABLE' },
  marks: { output: 'MarksTable', variable: 'MARKS_TABLE' },
  queueUrl: { output: 'QueueUrl', variable: 'QUEUE_URL' },
  busName: { output: 'BusName', variable: 'EVENT_BUS_NAME' },
  sourcesPath: { output: 'SourcesPath', variable: 'SOURCES_PATH' },
  schedules: { output: 'SchedulesGroup', variable: 'SCHEDULES_GROUP' },
} as const;

type Part = keyof typeof PARTS;

/** Outputs that a stack of the feed has. */
export const STACK_OUTPUTS = Object.values(PARTS).map(({ output }) => output);

/** Without these there is no deployment at all. */
const TABLES_NEEDED = ['sources', 'snapshots', 'ledger'] as const satisfies readonly Part[];

export interface Deployment extends Readonly<Partial<Record<Part, string>>> {
  readonly sources: string;
  readonly snapshots: string;
  readonly ledger: string;
}

/** @returns undefined where none is named. @throws UsageError where only some of its tables are */
export function findDeploymentInEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Deployment | undefined {
  const parts = pick(({ variable }) => environment[variable]);
  const missing = TABLES_NEEDED.filter((part) => parts[part] === undefined);
  if (missing.length === TABLES_NEEDED.length) return undefined;
  if (isDeployment(parts)) return parts;
  const names = missing.map((part) => PARTS[part].variable);
  throw new UsageError(`The tables are not all named: ${names.join(', ')} is missing.`);
}

/** @throws Error where there is no such stack, or it is not one of the feed's */
export async function findStackDeployment(stack: string): Promise<Deployment> {
  // Only who asks for a stack pays for loading this.
  const { CloudFormationClient, DescribeStacksCommand } = await import('@aws-sdk/client-cloudformation');
  const client = new CloudFormationClient();
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stack }));
    const outputs = new Map(
      Stacks?.[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]),
    );
    const parts = pick(({ output }) => outputs.get(output));
    if (isDeployment(parts)) return parts;
    const missing = TABLES_NEEDED.filter((part) => parts[part] === undefined);
    throw new Error(
      `The stack ${stack} does not say which its tables are: it has no output ` +
        `${missing.map((part) => PARTS[part].output).join(', ')}.`,
    );
  } finally {
    client.destroy();
  }
}

/** A part that a command can't do without. @throws UsageError that says how to name it */
export function partOf(deployment: Deployment, part: Part): string {
  const name = deployment[part];
  if (name !== undefined) return name;
  const { output, variable } = PARTS[part];
  throw new UsageError(
    `This takes more of the deployment than is named: the stack's output ${output} (of a stack that was deployed ` +
      `with an earlier release: deploy it anew), or the variable ${variable}.`,
  );
}

function pick(find: (names: (typeof PARTS)[Part]) => string | undefined): Partial<Record<Part, string>> {
  const found = Object.entries(PARTS).flatMap(([part, names]) => {
    const name = find(names);
    return name ? [[part, name]] : [];
  });
  return Object.fromEntries(found);
}

function isDeployment(parts: Partial<Record<Part, string>>): parts is Deployment {
  return TABLES_NEEDED.every((part) => parts[part] !== undefined);
}
