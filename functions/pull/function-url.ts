// Requests and answers as Lambda's function URLs have them.
// https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html
import type { APIGatewayProxyStructuredResultV2, LambdaFunctionURLEvent } from 'aws-lambda';
import type { PullRequest } from '../../shared/pulling/answer-pull.ts';
import type { ReadAnswer } from '../../shared/pulling/answer-read.ts';

export function toRequest(event: LambdaFunctionURLEvent): PullRequest {
  const { rawPath, rawQueryString, headers, requestContext } = event;
  return {
    ...{ method: requestContext.http.method, path: rawPath, query: new URLSearchParams(rawQueryString) },
    ...{ authorization: headers.authorization, ifNoneMatch: headers['if-none-match'] },
    // Lambda does not say that a client has gone: a long poll ends after its time.
    signal: new AbortController().signal,
  };
}

/** The bytes as they are, whatever they mean. */
export function toResult({ status, headers, body }: ReadAnswer): APIGatewayProxyStructuredResultV2 {
  const bytes = body && { body: Buffer.from(body).toString('base64'), isBase64Encoded: true };
  return { statusCode: status, headers: { ...headers }, ...bytes };
}
