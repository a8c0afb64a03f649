// The parameter of an added source can be written by operators: its token is sent only to the address that it belongs to.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  createReferenceService,
  type ReferenceService,
} from '../../local/reference-service/create-reference-service.ts';
import { sourcePaths, tokenNamesFor } from '../../shared/deployment/token-names.ts';
import { comeDue, TICKS, thisMinute } from './come-due.ts';
import { type Deployment, deploy, type EngineAddresses } from './deployment.ts';
import { startEngines } from './start-engines.ts';
import { synthesizeStack, TOKEN_SECRET } from './synthesize-stack.ts';
import { type Assembly, changed, idOf } from './template.ts';

const PATIENCE_MS = 120_000;
const ADDED_TOKEN = 'the-token-of-the-added-source';

let service: ReferenceService;
let assembly: Assembly;
let engines: EngineAddresses;
let other: Server;
let otherUrl: string;
/** The headers of each request to the other address. */
let sentElsewhere: string[];
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  service = await createReferenceService({ groups: 20, life: false });
  other = createServer((request, response) => {
    sentElsewhere.push(JSON.stringify(request.headers));
    response.writeHead(401).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}/v2`;
  ends.push(service.close, () => {
    other.closeAllConnections();
    other.close();
  });
  assembly = synthesizeStack(service.url, () => {});
  engines = await startEngines(ends);
}, PATIENCE_MS);
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});
beforeEach(() => {
  sentElsewhere = [];
});

/** Deploys the stack with the parameter of one more source, which ticks instead of the stack's. */
async function tickWith(
  { name = 'added', baseUrl, token, path = 'added' }: AddedSource,
  look: (deployment: Deployment) => Promise<void> | void,
): Promise<void> {
  const { template } = assembly;
  const poller = template.Resources[idOf(template, 'AWS::Lambda::Function', 'Poller')]!;
  const feed = poller.Properties.Environment.Variables.SOURCES_PATH.split('/')[1];
  const Name = `${sourcePaths(feed)[path]}/${name}`;
  const secret = token(feed);
  const withSource = changed(template, ({ Resources }) => {
    Resources.AddedSource = {
      Type: 'AWS::SSM::Parameter',
      Properties: {
        ...{ Name, Type: 'String' },
        Value: JSON.stringify({ settings: { name, baseUrl }, token: { secretId: secret } }),
      },
    };
    const schedule = Resources[idOf(template, 'AWS::Scheduler::Schedule', 'Scheduleacme')]!;
    schedule.Properties.Target.Input = `{"source":"${name}","slot":"<aws.scheduler.scheduled-time>"}`;
  });
  const secrets = new Map([
    [secret, ADDED_TOKEN],
    [TOKEN_SECRET, service.token],
  ]);
  const deployment = await deploy({ assembly, template: withSource, engines, secrets });
  try {
    await comeDue(deployment, TICKS, thisMinute());
    await look(deployment);
  } finally {
    await deployment.stop();
  }
}

interface AddedSource {
  readonly name?: string;
  readonly baseUrl: string;
  readonly token: (feed: string) => string;
  readonly path?: 'added';
}

test.each<[string, (feed: string) => string]>([
  ['the secret of a source of the stack', () => TOKEN_SECRET],
  [
    'the secret of an added source with another address',
    (feed) => tokenNamesFor(feed, service.url).ofSecrets,
  ],
  ['a secret that names no address', (feed) => `${feed}/tokens/main`],
])(
  'sends nothing to the address of an added source that names %s',
  async (_, token) => {
    await tickWith({ baseUrl: otherUrl, token: (feed) => token(feed) }, (deployment) => {
      expect(deployment.failures.join('\n')).toContain("the name of an added source's token must begin with");
      expect(deployment.calls.some(({ target }) => target === 'secretsmanager.GetSecretValue')).toBe(false);
    });

    expect(sentElsewhere).toEqual([]);
  },
  PATIENCE_MS,
);

test(
  'an added parameter with the name of a source of the stack changes nothing',
  async () => {
    const before = service.control.requests().length;

    await tickWith(
      { name: 'acme', baseUrl: otherUrl, token: (feed) => `${tokenNamesFor(feed, otherUrl).ofSecrets}main` },
      (deployment) => expect(deployment.failures).toEqual([]),
    );

    expect(sentElsewhere).toEqual([]);
    expect(service.control.requests().length).toBeGreaterThan(before);
  },
  PATIENCE_MS,
);

test(
  'sends a token whose name contains the host of the address',
  async () => {
    await tickWith(
      { baseUrl: otherUrl, token: (feed) => `${tokenNamesFor(feed, otherUrl).ofSecrets}main` },
      () => {},
    );

    expect(sentElsewhere[0]).toContain(ADDED_TOKEN);
  },
  PATIENCE_MS,
);
