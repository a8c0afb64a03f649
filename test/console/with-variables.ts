// Tables of a test as a deployment that the environment names.
import type { TableNames } from '../../shared/deployment/tables.ts';

/** The names of the tables of a test's deployment. */
export const SCENE_TABLES: TableNames = {
  snapshots: 'scene-snapshots',
  ledger: 'scene-ledger',
  marks: 'scene-marks',
  sources: 'scene-sources',
};

type Variables = Readonly<Record<string, string | undefined>>;

/** @param endpoint of the engine that has the tables */
export function variablesOf(endpoint: string): Variables {
  return {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    ...{ AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
    ...{ SNAPSHOTS_TABLE: SCENE_TABLES.snapshots, LEDGER_TABLE: SCENE_TABLES.ledger },
    ...{ MARKS_TABLE: SCENE_TABLES.marks, SOURCES_TABLE: SCENE_TABLES.sources },
  };
}

/** Runs work with these variables in the environment. */
export async function withVariables<Result>(
  variables: Variables,
  work: () => Promise<Result>,
): Promise<Result> {
  const before = setVariables(variables);
  return work().finally(() => setVariables(before));
}

/** @returns the previous values */
function setVariables(variables: Variables): Variables {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  return Object.fromEntries(before);
}
