import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { UsageError } from '../../../local/cli/failures.ts';
import {
  findDeploymentInEnvironment,
  findStackDeployment,
  partOf,
} from '../../../local/place/find-deployment.ts';

describe('tables named by the environment', () => {
  it('are used if all four are named, and rejected if only some are', () => {
    const all = { SOURCES_TABLE: 'a', SNAPSHOTS_TABLE: 'b', LEDGER_TABLE: 'c', MARKS_TABLE: 'd' };

    expect(findDeploymentInEnvironment(all)).toEqual({
      sources: 'a',
      snapshots: 'b',
      ledger: 'c',
      marks: 'd',
    });
    expect(findDeploymentInEnvironment({})).toBeUndefined();
    expect(() => findDeploymentInEnvironment({ SOURCES_TABLE: 'a' })).toThrow(
      'SNAPSHOTS_TABLE, LEDGER_TABLE',
    );
  });
});

test('an unnamed part is reported with its variable and option', () => {
  const deployment = { sources: 'a', snapshots: 'b', ledger: 'c', marks: 'm' };

  expect(partOf(deployment, 'marks')).toBe('m');
  expect(() => partOf(deployment, 'topicArn')).toThrow(UsageError);
  expect(() => partOf(deployment, 'topicArn')).toThrow(/TopicArn.*TOPIC_ARN/);
});

describe('tables of a stack', () => {
  let server: Server;
  let outputs: Readonly<Record<string, string>>;

  beforeEach(async () => {
    server = createServer((_, response) => {
      const members = Object.entries(outputs).map(
        ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
      );
      response.setHeader('content-type', 'text/xml');
      response.end(
        '<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult>' +
          `<Stacks><member><StackName>feed</StackName><Outputs>${members.join('')}</Outputs></member></Stacks>` +
          '</DescribeStacksResult></DescribeStacksResponse>',
      );
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', `http://127.0.0.1:${port}`);
    vi.stubEnv('AWS_REGION', 'eu-west-1');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  });
  it('need credentials, and the error names their variables', async () => {
    for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(name, '/dev/null');
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_PROFILE']) vi.stubEnv(name, undefined);

    const withoutCredentials = findStackDeployment('feed');
    await expect(withoutCredentials).rejects.toThrow(
      /credentials in AWS: set AWS_PROFILE, or AWS_ACCESS_KEY_ID/,
    );
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    server.close();
    server.closeAllConnections();
  });

  it('are in its outputs', async () => {
    outputs = {
      SourcesTable: 's-1',
      SnapshotsTable: 'n-1',
      LedgerTable: 'l-1',
      MarksTable: 'm-1',
      BusName: 'b',
    };

    expect(await findStackDeployment('feed')).toEqual({
      ...{ sources: 's-1', snapshots: 'n-1', ledger: 'l-1', marks: 'm-1' },
      busName: 'b',
    });
  });

  it('are missing in a stack that is not of the feed', async () => {
    outputs = { BusName: 'b', LedgerTable: 'l-1' };

    await expect(findStackDeployment('feed')).rejects.toThrow('SourcesTable, SnapshotsTable');
  });
});
