// The single endpoint for all AWS requests of an operator's commands. It checks the permissions of each request, and
// rejects it like AWS or forwards it to its engine.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { allows, type Permission, type Statement } from '../infra/edges/policies.ts';
import { type OperatorRequest, permissionsOf } from './operator-permissions.ts';

export interface OperatorEndpoint {
  readonly url: string;
  /** Sets the policy. @returns the permissions that are requested from now on */
  allow(statements: readonly Statement[]): readonly Permission[];
  close(): Promise<void>;
}

export interface Served {
  readonly status: number;
  readonly type: string;
  readonly body: string | Uint8Array;
  /** The name of an error, for services that put it into a header. */
  readonly error?: string | undefined;
}

export interface EngineAnswers {
  /** The address of a request's engine, or an answer without an engine. */
  answer(request: OperatorRequest): string | Served | Promise<string | Served>;
  /** ARNs of the queues with this dead-letter queue. */
  queuesInto(deadLetters: string): readonly string[];
}

export async function startOperatorEndpoint({
  answer,
  queuesInto,
}: EngineAnswers): Promise<OperatorEndpoint> {
  let policy: readonly Statement[] = [];
  let asked: Permission[] = [];
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const content = await text(incoming);
    const request = read(incoming, content);
    const needed = permissionsOf(request, queuesInto);
    asked.push(...(needed ?? [{ action: nameOf(request), resource: 'not known to the runbook test' }]));
    const denied =
      needed === undefined
        ? { action: nameOf(request), resource: '*' }
        : needed.find((permission) => !allows(policy, permission));
    const served = denied === undefined ? await answer(request) : refusal(request, denied);
    const { status, type, body, error } =
      typeof served === 'string'
        ? withOwnUrls(served, await forward(served, incoming, request, content))
        : served;
    response
      .writeHead(status, { 'content-type': type, ...(error && { 'x-amzn-errortype': error }) })
      .end(body);
  }

  /** The SDK sends to the URL of a queue, so the URL must have this endpoint's address. */
  function withOwnUrls(engine: string, answer: Served): Served {
    const text = Buffer.from(answer.body).toString();
    if (!text.includes('"QueueUrl"')) return answer;
    return { ...answer, body: text.replaceAll(engine, urlOf(server)) };
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: urlOf(server),
    allow(statements) {
      policy = statements;
      asked = [];
      return asked;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function read({ method = '', url = '', headers }: IncomingMessage, content: string): OperatorRequest {
  const isForm = headers['content-type']?.includes('urlencoded') === true;
  const body = isForm
    ? Object.fromEntries(new URLSearchParams(content))
    : /^\s*\{/.test(content)
      ? JSON.parse(content)
      : {};
  const target = headers['x-amz-target'];
  return { method, path: url, target: target === undefined ? undefined : String(target), body };
}

function nameOf({ method, path, target, body }: OperatorRequest): string {
  return target ?? body.Action ?? `${method} ${path}`;
}

/** The message of https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html */
function refusal(request: OperatorRequest, { action, resource }: Permission): Served {
  const message =
    `User: arn:aws:iam::000000000000:user/operator is not authorized to perform: ${action} on resource: ` +
    `${resource} because no identity-based policy allows the ${action} action`;
  if (request.body.Action !== undefined)
    return {
      ...{ status: 403, type: 'text/xml' },
      body: `<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>${message}</Message></Error></ErrorResponse>`,
    };
  const status = request.target === undefined ? 403 : 400;
  const body = JSON.stringify({ __type: 'AccessDeniedException', message, Message: message });
  return { status, type: 'application/x-amz-json-1.0', body, error: 'AccessDeniedException' };
}

/** Forwards a request to an engine. Queue URLs contain this endpoint's address, because the SDK sends to it. */
async function forward(
  engine: string,
  { method = 'POST', url = '/', headers }: IncomingMessage,
  { body, target }: OperatorRequest,
  content: string,
): Promise<Served> {
  const isQueue = body.QueueUrl !== undefined && target !== undefined;
  const answer = await fetch(engine + (isQueue ? '/' : url), {
    method,
    headers: {
      ...Object.fromEntries(
        ['content-type', 'x-amz-date', 'x-amz-target'].flatMap((name) =>
          headers[name] === undefined ? [] : [[name, String(headers[name])]],
        ),
      ),
      // Engines may keep the data of each access key apart.
      authorization: (headers.authorization ?? '').replace(/Credential=[^/]+/, 'Credential=local'),
    },
    ...(content !== '' && {
      body: isQueue
        ? JSON.stringify({ ...body, QueueUrl: engine + new URL(body.QueueUrl).pathname })
        : content,
    }),
  });
  return {
    status: answer.status,
    type: answer.headers.get('content-type') ?? '',
    body: new Uint8Array(await answer.arrayBuffer()),
    error: answer.headers.get('x-amzn-errortype') ?? undefined,
  };
}
