// The answer of a custom resource, which CloudFormation takes at a URL. It shows `Reason` to the person who deploys.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref-responses.html
import type { CloudFormationCustomResourceEvent, CloudFormationCustomResourceResponse } from 'aws-lambda';

/** CloudFormation refuses a longer answer, and then waits until it gives up. */
const MOST_BYTES = 4_096;
const MOST_LINE = 600;

/** @throws Error if CloudFormation did not take it */
export async function sendAnswer(
  event: CloudFormationCustomResourceEvent,
  failure: Error | undefined,
): Promise<void> {
  // Bytes, because the signature of the URL is for a request without a content type.
  const body = new TextEncoder().encode(JSON.stringify(formatAnswer(event, failure)));
  const { ok, status } = await fetch(event.ResponseURL, {
    ...{ method: 'PUT', body, signal: AbortSignal.timeout(10_000) },
  });
  if (!ok) throw new Error(`CloudFormation did not take the answer (${status}).`);
}

export function formatAnswer(
  event: CloudFormationCustomResourceEvent,
  failure: Error | undefined,
): CloudFormationCustomResourceResponse {
  const { StackId, RequestId, LogicalResourceId } = event;
  const common = {
    ...{ StackId, RequestId, LogicalResourceId },
    // The same for ever: with another one CloudFormation would replace the resource.
    PhysicalResourceId: 'PhysicalResourceId' in event ? event.PhysicalResourceId : LogicalResourceId,
  };
  if (failure === undefined) return { Status: 'SUCCESS', ...common };
  const answerOf = (Reason: string) => ({ Status: 'FAILED', Reason, ...common }) as const;
  const [first = '', ...lines] = failure.message.split('\n').map((line) => line.slice(0, MOST_LINE));
  let answer = answerOf(first);
  for (let shown = 1; shown <= lines.length; shown++) {
    const left = lines.length - shown;
    const more = left > 0 ? [`… and ${left} more`] : [];
    const longer = answerOf([first, ...lines.slice(0, shown), ...more].join('\n'));
    if (Buffer.byteLength(JSON.stringify(longer)) > MOST_BYTES) break;
    answer = longer;
  }
  return answer;
}
