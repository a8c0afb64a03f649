// The parts of AWS that working on a webhook needs: parameters, secrets, metrics. In memory, over the wire. The answers
// equal moto's, except where AWS documents more: the versions of secrets follow PutSecretValue and ListSecretVersionIds;
// lists come in pages, of which the first may be empty (GetParametersByPath: "between zero and the value of MaxResults").
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

// biome-ignore lint/suspicious/noExplicitAny: bodies of all operations
type Body = any;

export interface FakeAws {
  readonly url: string;
  readonly parameters: Map<string, Body>;
  /** The versions of secrets, by id, the newest first: the first is current, the second previous. */
  readonly versions: Map<string, readonly SecretVersion[]>;
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
    versions: new Map<string, readonly SecretVersion[]>(),
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
  try {
    const answer = answerJson(aws, String(request.headers['x-amz-target']), JSON.parse(body));
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
  if (aws.versions.has(body.SecretId)) return answerVersions(aws, operation, body);
  switch (operation) {
    case 'GetParameter':
      if (!aws.parameters.has(body.Name)) throw new Refusal('ParameterNotFound');
      return { Parameter: aws.parameters.get(body.Name) };
    case 'GetParametersByPath':
      return pageOf(
        'Parameters',
        [...aws.parameters.values()].filter(({ Name }) => Name.startsWith(`${body.Path}/`)),
        body.NextToken,
      );
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
