// What stands before a function with a URL: turns requests into events, and results into answers.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { APIGatewayProxyStructuredResultV2, LambdaFunctionURLEvent } from 'aws-lambda';

export type UrlHandler = (event: LambdaFunctionURLEvent) => Promise<APIGatewayProxyStructuredResultV2>;

export interface Front {
  readonly url: string;
  close(): Promise<void>;
}

export async function startFunctionUrl(handler: UrlHandler): Promise<Front> {
  const server = createServer((request, response) => {
    void handler(toEvent(request)).then(
      ({ statusCode = 200, headers = {}, body = '', isBase64Encoded = false }) => {
        const texts = Object.entries(headers).map(([name, value]) => [name, String(value)]);
        response.writeHead(statusCode, Object.fromEntries(texts));
        response.end(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'));
      },
      () => response.writeHead(502).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** As far as the function reads it. */
export function toEvent({ method = 'GET', url = '/', headers }: IncomingMessage): LambdaFunctionURLEvent {
  const [rawPath = '', rawQueryString = ''] = url.split('?');
  const names = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return {
    ...{ version: '2.0', routeKey: '$default', rawPath, rawQueryString, isBase64Encoded: false },
    headers: Object.fromEntries(names),
    requestContext: { http: { method, path: rawPath } },
  } as LambdaFunctionURLEvent;
}
