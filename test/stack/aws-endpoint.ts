// One address for all AWS services that functions call. It identifies a function by its credentials, and checks for each
// call whether the function's role allows it. It rejects denied calls like AWS, and forwards the others to the service's
// engine. It answers calls for parameters and secrets itself.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Arns, neededPermissions } from './needed-permissions.ts';
import type { Permission } from './policies.ts';

export interface AwsEndpointOptions {
  /** Returns the address of the engine for a call. @param service the service's name in the request's signature */
  readonly engineOf: (service: string) => string;
  readonly arns: Arns;
  /** Whether the function with this access key has a permission. */
  readonly mayDo: (accessKeyId: string, permission: Permission) => boolean;
  /** The value of a parameter in Parameter Store. */
  readonly parameterOf: (name: string) => string | undefined;
  /** The value of a secret in Secrets Manager, by its name or ARN. It has one version. */
  readonly secretOf: (id: string) => string | undefined;
  readonly onCall: (call: Call) => void;
}

/** A call that a function made. */
export interface Call {
  readonly accessKeyId: string;
  /** For instance `AmazonSQS.SendMessageBatch`. */
  readonly target: string;
  readonly needed: readonly Permission[];
  /** The permissions that the function's role does not allow; for an unknown operation, the operation itself. */
  readonly denied: readonly Permission[];
}

export interface AwsEndpoint {
  readonly url: string;
  /** Makes a function's next call of an operation fail with an error that the SDK does not retry. */
  failNext(accessKeyId: string, target: string): void;
  stop(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Uint8Array;
}

/** Starts the endpoint on a free port of the loopback address. */
export async function startAwsEndpoint(options: AwsEndpointOptions): Promise<AwsEndpoint> {
  const failing: string[] = [];
  const server = createServer((request, response) => {
    serve(options, failing, request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    failNext: (accessKeyId, target) => void failing.push(`${accessKeyId} ${target}`),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(
  options: AwsEndpointOptions,
  failing: string[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const accessKeyId = /Credential=([^/]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? '';
  const content = await text(request);
  const isForm = request.headers['content-type']?.includes('urlencoded') === true;
  const body = isForm ? Object.fromEntries(new URLSearchParams(content)) : JSON.parse(content);
  // SNS is the only service with form bodies that functions call.
  const target = isForm ? `AmazonSNS.${body.Action}` : String(request.headers['x-amz-target']);
  const refusal = isForm ? refusalOfForm : refusalOfJson;
  const needed = neededPermissions(target, body, options.arns);
  const denied = needed?.filter((permission) => !options.mayDo(accessKeyId, permission)) ?? [
    { action: target, resource: 'not known to the stack test' },
  ];
  options.onCall({ accessKeyId, target, needed: needed ?? [], denied });
  const fault = failing.indexOf(`${accessKeyId} ${target}`);
  if (fault !== -1) failing.splice(fault, 1);
  const answer =
    denied[0] !== undefined
      ? refusal('AccessDeniedException', `Not allowed: ${denied[0].action} on ${denied[0].resource}`)
      : fault !== -1
        ? refusal('OutOfOrderException', 'The test makes this call fail.')
        : isForm
          ? await forward(options.engineOf('AmazonSNS'), target, content, request)
          : await answerOf(options, target, body, request);
  response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.body);
}

async function answerOf(
  { engineOf, parameterOf, secretOf }: AwsEndpointOptions,
  target: string,
  // biome-ignore lint/suspicious/noExplicitAny: bodies of all operations
  body: any,
  request: IncomingMessage,
): Promise<Answer> {
  if (target === 'AmazonSSM.GetParameter') {
    const Value = parameterOf(body.Name);
    return Value === undefined
      ? refusalOfJson('ParameterNotFound', body.Name)
      : json({ Parameter: { Name: body.Name, Type: 'String', Value } });
  }
  if (target === 'secretsmanager.GetSecretValue') {
    const SecretString = body.VersionStage === 'AWSPREVIOUS' ? undefined : secretOf(body.SecretId);
    return SecretString === undefined
      ? refusalOfJson('ResourceNotFoundException', body.SecretId)
      : json({ Name: body.SecretId, SecretString });
  }
  const engine = engineOf(target.split('.')[0] ?? '');
  return forward(engine, target, JSON.stringify(toEngine(body, engine)), request);
}

/** Replaces this endpoint's address in queue URLs by the engine's. The SDK sends to a queue URL's address. */
// biome-ignore lint/suspicious/noExplicitAny: as above
function toEngine(body: any, engine: string): unknown {
  return body.QueueUrl === undefined ? body : { ...body, QueueUrl: engine + new URL(body.QueueUrl).pathname };
}

async function forward(
  engine: string,
  target: string,
  content: string,
  { headers }: IncomingMessage,
): Promise<Answer> {
  const answer = await fetch(engine, {
    method: 'POST',
    headers: {
      'content-type': String(headers['content-type']),
      'x-amz-date': String(headers['x-amz-date']),
      ...(headers['x-amz-target'] && { 'x-amz-target': target }),
      // Engines may store data separately for each access key.
      authorization: (headers.authorization ?? '').replace(/Credential=[^/]+/, 'Credential=local'),
    },
    body: content,
  });
  const type = answer.headers.get('content-type') ?? '';
  return { status: answer.status, type, body: new Uint8Array(await answer.arrayBuffer()) };
}

function refusalOfJson(type: string, message: string): Answer {
  return { ...json({ __type: type, message }), status: 400 };
}

function refusalOfForm(type: string, message: string): Answer {
  const body = `<ErrorResponse><Error><Type>Sender</Type><Code>${type}</Code><Message>${message}</Message></Error></ErrorResponse>`;
  return { status: 400, type: 'text/xml', body };
}

function json(content: unknown): Answer {
  return { status: 200, type: 'application/x-amz-json-1.1', body: JSON.stringify(content) };
}
