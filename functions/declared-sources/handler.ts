// The custom resource of the construct's sources: at each deployment that changes them, CloudFormation invokes it with the
// place of their list. A rollback is an update with the list before. CloudFormation waits for an answer, so each failure
// is one; if the answer itself can't be sent, Lambda invokes again.
import { Logger } from '@aws-lambda-powertools/logger';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import * as z from 'zod';
import type { Log } from '../../shared/ports.ts';
import { createDynamoDbClient } from '../adapters/dynamodb-client.ts';
import {
  createDynamoDbSourceDirectory,
  type SourceDirectory,
} from '../adapters/dynamodb-source-directory.ts';
import { environmentParser } from '../adapters/parse-environment.ts';
import { createPowertoolsLog } from '../adapters/powertools-log.ts';
import { createSystemClock } from '../adapters/system-clock.ts';
import { sendAnswer } from './answer-cloudformation.ts';
import { declareSources } from './declare-sources.ts';
import { parseList } from './parse-list.ts';

const text = z.string().min(1);

const parseEnvironment = environmentParser(
  'The environment of the function of declared sources',
  z.object({ SOURCES_TABLE: text }),
);

const properties = z.object({
  Bucket: text,
  Key: text,
  /** Values that only the deployment knows, by their markers in the list. */
  Values: z.record(text, z.string()).default({}),
});

interface Services {
  readonly directory: SourceDirectory;
  readonly s3: S3Client;
}

let services: Services | undefined;

export async function handler(event: CloudFormationCustomResourceEvent): Promise<void> {
  const log = createPowertoolsLog(new Logger());
  await sendAnswer(event, await apply(event, log));
}

/** @returns the failure, if there is one */
async function apply(event: CloudFormationCustomResourceEvent, log: Log): Promise<Error | undefined> {
  // The entries outlive the stack like the tables: a stack that continues with these takes them over.
  if (event.RequestType === 'Delete') return undefined;
  try {
    services ??= createServices();
    const { Bucket, Key, Values } = properties.parse(event.ResourceProperties);
    const { Body } = await services.s3.send(new GetObjectCommand({ Bucket, Key }));
    const list = parseList((await Body?.transformToString()) ?? '', Values);
    log.info('Declared.', await declareSources(services.directory, list));
    return undefined;
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    log.error('The sources were not declared.', { error });
    return error;
  }
}

function createServices(): Services {
  const { SOURCES_TABLE: sources } = parseEnvironment(process.env);
  const { random } = Math;
  const access = { client: createDynamoDbClient(), tables: { sources }, clock: createSystemClock(), random };
  return { directory: createDynamoDbSourceDirectory(access), s3: new S3Client() };
}
