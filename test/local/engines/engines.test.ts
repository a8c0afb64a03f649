import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { isBusNamed, startEngines } from '../../../local/engines/engines.ts';
import { EngineError } from '../../engines/engine-error.ts';
import { runProgram } from '../../engines/programs/run-program.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'engines-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** An environment that a user may have for their own account. */
async function usersEnvironment(): Promise<Record<string, string | undefined>> {
  const config = join(directory, 'config');
  await writeFile(config, '[default]\nsdk_ua_app_id = real\n[profile real]\nregion = eu-north-1\n');
  return {
    PATH: process.env.PATH,
    HOME: directory,
    AWS_PROFILE: 'real',
    AWS_CONFIG_FILE: config,
    AWS_SESSION_TOKEN: 'real-token',
    AWS_ACCESS_KEY_ID: 'AKIAREAL',
    AWS_SECRET_ACCESS_KEY: 'real-secret',
    AWS_USE_FIPS_ENDPOINT: 'true',
    AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true',
  };
}

test('returns an endpoint for each service, and the configured region', async () => {
  const engines = await startEngines({ environment: { AWS_REGION: 'eu-west-1' } });
  await engines.stop();

  const {
    AWS_ENDPOINT_URL_DYNAMODB: dynamoDb,
    AWS_ENDPOINT_URL_SQS: sqs,
    ...environment
  } = engines.environment;
  expect(sqs).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);

  expect(environment).toMatchObject({
    AWS_REGION: 'eu-west-1',
    AWS_ENDPOINT_URL_DYNAMODB_STREAMS: dynamoDb,
    AWS_ENDPOINT_URL_SNS: sqs,
  });
});

test("every SDK client uses its engine, despite the user's own settings in the environment", async () => {
  const { code, stdout, stderr } = await runProgram(
    'use-engines.ts',
    [join(directory, 'data')],
    await usersEnvironment(),
  );

  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await readdir(join(directory, 'data'))).toEqual(['tables.db']);
});

test('sends no credentials of the user to an engine that the environment names', async () => {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(JSON.stringify(request.headers));
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' }).end('{"Entries":[{}]}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;

  const { code } = await runProgram('use-engines.ts', [], {
    ...(await usersEnvironment()),
    AWS_ENDPOINT_URL_EVENTBRIDGE: `http://127.0.0.1:${port}`,
  });
  server.close();

  expect(code).toBe(0);
  expect(seen).toHaveLength(1);
  expect(seen[0]).toContain('Credential=local/');
  expect(seen[0]).not.toContain('real');
});

test('topics have the address of the queues, unless both are named', async () => {
  const elsewhere = 'http://127.0.0.1:4567';
  const embedded = await startEngines({ environment: { AWS_ENDPOINT_URL_SNS: elsewhere } });
  await embedded.stop();
  const named = { AWS_ENDPOINT_URL: 'http://127.0.0.1:4566', AWS_ENDPOINT_URL_SNS: elsewhere };
  const both = await startEngines({ environment: named });
  await both.stop();

  expect(embedded.environment.AWS_ENDPOINT_URL_SNS).toBe(embedded.environment.AWS_ENDPOINT_URL_SQS);
  expect(both.environment.AWS_ENDPOINT_URL_SNS).toBe(elsewhere);
});

test('starts no engine in place of a named one', async () => {
  const engines = await startEngines({
    environment: {
      AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000',
      AWS_ENDPOINT_URL_EVENTBRIDGE: 'http://b',
    },
  });
  await engines.stop();

  expect(engines.environment).toMatchObject({
    AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000',
    AWS_ENDPOINT_URL_DYNAMODB_STREAMS: 'http://127.0.0.1:8000',
    AWS_ENDPOINT_URL_EVENTBRIDGE: 'http://b',
    AWS_ACCESS_KEY_ID: 'local',
  });
});

test('starts no bus', async () => {
  const engines = await startEngines({ environment: {} });
  await engines.stop();

  expect(engines.environment).not.toHaveProperty('AWS_ENDPOINT_URL_EVENTBRIDGE');
});

test.each([
  [{}, false],
  [{ AWS_ENDPOINT_URL_EVENTBRIDGE: '' }, false],
  [{ AWS_ENDPOINT_URL_EVENTBRIDGE: 'http://127.0.0.1:1' }, true],
  [{ AWS_ENDPOINT_URL: 'http://127.0.0.1:1' }, true],
])('detects whether the environment names a bus: %o', (environment, isNamed) => {
  expect(isBusNamed(environment)).toBe(isNamed);
});

test('does not change credentials if every engine is named', async () => {
  const engines = await startEngines({ environment: { AWS_ENDPOINT_URL: 'http://127.0.0.1:4566' } });
  await engines.stop();

  expect(engines.environment).toEqual({
    AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:4566',
    AWS_ENDPOINT_URL_DYNAMODB_STREAMS: 'http://127.0.0.1:4566',
    AWS_ENDPOINT_URL_SQS: 'http://127.0.0.1:4566',
    AWS_ENDPOINT_URL_SNS: 'http://127.0.0.1:4566',
    AWS_ENDPOINT_URL_EVENTBRIDGE: 'http://127.0.0.1:4566',
    AWS_REGION: expect.any(String),
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
  });
});

test('rejects each variable that is no address, by its name, before it starts an engine', async () => {
  const [noUrl, noHttp] = ['garbage', 'localhost:8000'];
  const names = ['', '_DYNAMODB', '_DYNAMODB_STREAMS', '_SQS', '_SNS', '_EVENTBRIDGE'];
  const variables = names.map((name) => `AWS_ENDPOINT_URL${name}`);

  for (const variable of variables)
    await expect(startEngines({ environment: { [variable]: noUrl } })).rejects.toThrow(
      `${variable} must be an http or https address, such as http://127.0.0.1:8000 (got "garbage").`,
    );
  const both = { AWS_ENDPOINT_URL_SQS: noHttp, AWS_ENDPOINT_URL_SNS: noUrl };
  await expect(startEngines({ environment: both })).rejects.toThrow(
    /AWS_ENDPOINT_URL_SQS must be .* \(got "localhost:8000"\)\. AWS_ENDPOINT_URL_SNS must be /,
  );
});

describe('the region of named engines', () => {
  const AWS_ENDPOINT_URL = 'http://127.0.0.1:4566';
  afterEach(() => vi.unstubAllEnvs());

  test.each([
    ['its own variable', { AWS_REGION: 'eu-west-1' }, 'eu-west-1'],
    ['the variable of the CLI', { AWS_DEFAULT_REGION: 'eu-west-2' }, 'eu-west-2'],
    ['the profile', { AWS_PROFILE: 'real' }, 'eu-north-1'],
    ['the default', {}, 'us-east-1'],
  ])('comes from %s', async (_, variables, region) => {
    const { AWS_CONFIG_FILE } = await usersEnvironment();
    const environment = { AWS_ENDPOINT_URL, AWS_CONFIG_FILE, ...variables };
    // The SDK looks the profile up in the environment of the process.
    const none = { AWS_REGION: undefined, AWS_DEFAULT_REGION: undefined, AWS_PROFILE: undefined };
    for (const [name, value] of Object.entries({ ...none, ...environment })) vi.stubEnv(name, value);

    const engines = await startEngines({ environment });
    await engines.stop();

    expect(engines.environment.AWS_REGION).toBe(region);
  });
});

test('fails as a whole when one engine does not start', async () => {
  const file = join(directory, 'file');
  await writeFile(file, '');

  const starting = startEngines({ environment: {}, dataDir: file });

  await expect(starting).rejects.toThrow(EngineError);
});

test('can be stopped again', async () => {
  const engines = await startEngines({ environment: {} });
  await engines.stop();

  await expect(engines.stop()).resolves.toBeUndefined();
});
