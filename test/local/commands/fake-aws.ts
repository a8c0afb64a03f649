// The parts of AWS that adding a source and working on a webhook need: parameters, secrets, schedules, alarms. In
// memory, over the wire, each service with its own protocol. The answers equal moto's, except where AWS documents more:
// the versions of secrets follow PutSecretValue and ListSecretVersionIds; lists come in pages, of which the first may be
// empty (DescribeParameters: "between zero and the value of MaxResults").
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

// biome-ignore lint/suspicious/noExplicitAny: bodies of all operations
type Body = any;

export interface FakeAws {
  readonly url: string;
  readonly parameters: Map<string, Body>;
  /** ARNs, by name. */
  readonly secrets: Map<string, string>;
  /** The versions of secrets, by id, the newest first: the first is current, the second previous. */
  readonly versions: Map<string, readonly SecretVersion[]>;
  readonly schedules: Map<string, Body>;
  readonly alarms: Map<string, Body>;
  /** The requests that change something, in order. */
  readonly changes: string[];
  close(): void;
}

export interface SecretVersion {
  readonly text: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
}

export async function startFakeAws(): Promise<FakeAws> {
  const aws = {
    parameters: new Map<string, Body>(),
    secrets: new Map<string, string>(),
    versions: new Map<string, readonly SecretVersion[]>(),
    schedules: new Map<string, Body>(),
    alarms: new Map<string, Body>(),
    changes: [] as string[],
  };
  const server: Server = createServer((request, response) => {
    serve(aws, request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    ...aws,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

type World = Omit<FakeAws, 'url' | 'close'>;

class Refusal extends Error {
  override readonly name: string;
  constructor(name: string) {
    super(`${name}, says the fake`);
    this.name = name;
  }
}

async function serve(aws: World, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  const target = request.headers['x-amz-target'];
  try {
    const answer =
      target === undefined
        ? answerScheduler(aws, request.method ?? '', new URL(request.url ?? '', 'http://fake'), body)
        : answerJson(aws, String(target), JSON.parse(body));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const status = error.name.startsWith('ResourceNotFound') ? 404 : 400;
    response.writeHead(status, { 'x-amzn-errortype': error.name });
    response.end(JSON.stringify({ __type: error.name, message: error.message }));
  }
}

function answerJson(aws: World, target: string, body: Body): Body {
  const operation = target.split('.')[1] ?? '';
  const note = () => aws.changes.push(operation);
  if (target.startsWith('TrentService.')) return answerKms(operation, body);
  if (aws.versions.has(body.SecretId)) return answerVersions(aws, operation, body);
  switch (operation) {
    case 'PutParameter':
      note();
      aws.parameters.set(body.Name, body);
      return { Version: 1 };
    case 'GetParameter':
      if (!aws.parameters.has(body.Name)) throw new Refusal('ParameterNotFound');
      return { Parameter: aws.parameters.get(body.Name) };
    case 'GetParametersByPath':
      return pageOf(
        'Parameters',
        [...aws.parameters.values()].filter(({ Name }) => Name.startsWith(`${body.Path}/`)),
        body.NextToken,
      );
    case 'DescribeParameters':
      return pageOf(
        'Parameters',
        [...aws.parameters.values()].filter(({ Name }) => body.ParameterFilters[0].Values.includes(Name)),
        body.NextToken,
      );
    case 'DeleteParameter':
      note();
      if (!aws.parameters.delete(body.Name)) throw new Refusal('ParameterNotFound');
      return {};
    case 'DescribeSecret':
      if (!aws.secrets.has(body.SecretId)) throw new Refusal('ResourceNotFoundException');
      return { Name: body.SecretId, ARN: aws.secrets.get(body.SecretId) };
    case 'DescribeAlarmsForMetric':
      return {
        MetricAlarms: [...aws.alarms.values()].filter(
          ({ Dimensions }) => JSON.stringify(Dimensions) === JSON.stringify(body.Dimensions),
        ),
      };
    case 'PutMetricAlarm':
      note();
      aws.alarms.set(body.AlarmName, body);
      return {};
    case 'DeleteAlarms':
      note();
      for (const name of body.AlarmNames) aws.alarms.delete(name);
      return {};
    case 'GetMetricData':
      return {
        MetricDataResults: body.MetricDataQueries.map(({ Id }: Body) => ({
          ...{ Id, Values: [90, 30], Timestamps: [Date.now() / 1_000, Date.now() / 1_000 - 60] },
          StatusCode: 'Complete',
        })),
      };
    default:
      throw new Error(`Unknown operation ${operation}: add it to fake-aws.ts.`);
  }
}

/** A text can only be decrypted with the context that it was encrypted with. Nothing is secret here. */
function answerKms(operation: string, { Plaintext, CiphertextBlob, EncryptionContext }: Body): Body {
  const context = JSON.stringify(Object.entries(EncryptionContext).toSorted());
  if (operation === 'Encrypt')
    return { CiphertextBlob: Buffer.from(JSON.stringify([context, Plaintext])).toString('base64') };
  const [encryptedWith, plaintext] = JSON.parse(Buffer.from(CiphertextBlob, 'base64').toString());
  if (encryptedWith !== context) throw new Refusal('InvalidCiphertextException');
  return { Plaintext: plaintext };
}

/** An empty page, then one item a page. */
function pageOf(field: string, all: readonly Body[], token: string | null | undefined): Body {
  const at = Number(token ?? -1);
  return {
    [field]: all.slice(Math.max(at, 0), at + 1),
    ...(at + 1 < all.length && { NextToken: String(at + 1) }),
  };
}

const STAGES = ['AWSCURRENT', 'AWSPREVIOUS'];

/**
 * PutSecretValue without stages moves AWSCURRENT to the new version, and AWSPREVIOUS to the one that had it. A version
 * without a stage is not listed.
 */
function answerVersions({ versions, changes }: World, operation: string, body: Body): Body {
  const known = versions.get(body.SecretId) ?? [];
  switch (operation) {
    case 'GetSecretValue': {
      const version = known[STAGES.indexOf(body.VersionStage ?? 'AWSCURRENT')];
      if (version === undefined) throw new Refusal('ResourceNotFoundException');
      return { SecretString: version.text };
    }
    case 'PutSecretValue':
      changes.push(operation);
      versions.set(body.SecretId, [{ text: body.SecretString, createdAt: Date.now() / 1_000 }, ...known]);
      return { VersionStages: ['AWSCURRENT'] };
    case 'ListSecretVersionIds':
      return {
        Versions: known.slice(0, STAGES.length).map(({ createdAt }, index) => ({
          VersionId: `version-${known.length - index}`,
          VersionStages: [STAGES[index]],
          CreatedDate: createdAt,
        })),
      };
    default:
      throw new Error(`Unknown operation ${operation} on a secret's versions: add it to fake-aws.ts.`);
  }
}

function answerScheduler({ schedules, changes }: World, method: string, url: URL, body: string): Body {
  const name = url.pathname.split('/')[2];
  if (name === undefined)
    return pageOf(
      'Schedules',
      [...schedules.values()].map(({ Name }) => ({ Name })),
      url.searchParams.get('NextToken'),
    );
  if (method !== 'POST' && !schedules.has(name)) throw new Refusal('ResourceNotFoundException');
  if (method === 'GET') return schedules.get(name);
  changes.push(`${method} schedule`);
  if (method === 'DELETE') schedules.delete(name);
  else schedules.set(name, { ...JSON.parse(body), Name: name });
  return {};
}
