// Asks a deployment's poller, which has the token: by invoking it, with a question that it answers with ids or with the
// allowlisted fields of one return group.
import type { InvokeCommandOutput } from '@aws-sdk/client-lambda';
import type { Finder } from '../../functions/poller/create-finder.ts';
import {
  type FindAnswer,
  type FindMessage,
  findAnswer,
  type Question,
} from '../../functions/poller/find-message.ts';
import { QUESTIONS_ALIAS } from '../../shared/deployment/questions-alias.ts';
import { NotAskedError } from '../../shared/finding/asking.ts';
import { parseJson } from '../../shared/parse-json.ts';
import { type Deployment, partOf, withClient } from './find-deployment.ts';

/** Looks up the poller's name only when it asks: ids are found without it, and stacks of earlier releases lack it. */
export function createPollerFinder(deployment: Deployment): Finder {
  return {
    async find(source, filter) {
      const asked =
        'orderName' in filter ? { order_name: filter.orderName } : { tracking_code: filter.trackingCode };
      const answer = await ask(deployment, { source, ...asked });
      return 'found' in answer ? answer.found : noAnswer();
    },
    async ask(source, group) {
      const answer = await ask(deployment, { source, group });
      return 'present' in answer ? answer.present : noAnswer();
    },
  };
}

async function ask(deployment: Deployment, find: Question): Promise<Exclude<FindAnswer, { error: string }>> {
  const poller = partOf(deployment, 'poller');
  // Loaded only where a deployment is asked.
  const { Lambda } = await import('@aws-sdk/client-lambda');
  const message: FindMessage = { find };
  const FunctionName = `${poller}:${QUESTIONS_ALIAS}`;
  const Payload = Buffer.from(JSON.stringify(message));
  const invoked = await withClient(new Lambda(), (client) => client.invoke({ FunctionName, Payload })).catch(
    (error: unknown) => {
      throw (error as Error).name === 'ResourceNotFoundException' ? noAlias(poller, error) : error;
    },
  );
  const answer = readAnswer(invoked);
  if ('error' in answer) throw new NotAskedError(answer.error);
  return answer;
}

function readAnswer({ FunctionError, Payload }: InvokeCommandOutput): FindAnswer {
  if (FunctionError !== undefined)
    throw new Error(
      `The poller failed (${FunctionError}): see its log, which the stack's output PollerLog names.`,
    );
  const parsed = findAnswer.safeParse(parseJson(Payload?.transformToString() ?? ''));
  return parsed.success ? parsed.data : noAnswer();
}

function noAlias(poller: string, cause: unknown): Error {
  return new Error(
    `The function ${poller} has no alias "${QUESTIONS_ALIAS}": an earlier release deployed the stack. Deploy it again.`,
    { cause },
  );
}

function noAnswer(): never {
  throw new Error(
    "The poller's answer can't be read: it is of another release than this command. Deploy the stack again, or use " +
      'the release that deployed it.',
  );
}
