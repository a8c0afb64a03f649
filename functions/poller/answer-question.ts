// Answers an operator's question. A failure here does not fail the invocation, because the poller's alarms are about
// polls. Neither the answer nor the log contains the text that was asked for.
import { isAskingFailure } from '../../shared/finding/asking.ts';
import type { Log } from '../../shared/ports.ts';
import type { Finder } from './create-finder.ts';
import { type FindAnswer, type Question, question } from './find-message.ts';

/** @param asked the value of `find` in the invocation's payload, not checked yet */
export async function answerQuestion(
  { finder, log }: { readonly finder: Finder; readonly log: Log },
  asked: unknown,
): Promise<FindAnswer> {
  const parsed = question.safeParse(asked);
  if (!parsed.success)
    return {
      error:
        'The question is not valid: "find" needs a source, and one of tracking_code and order_name (a text of 1 to ' +
        '500 characters) or group (the id of a return group).',
    };
  const { source } = parsed.data;
  try {
    const answer = await answerOf(finder, parsed.data);
    log.info('An operator’s question was answered.', { source });
    return answer;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    log.warn('An operator’s question was not answered.', { source, error });
    if (isAskingFailure(error)) return { error: error.message };
    return { error: `The poller failed (${error.name}); see its log for the cause.` };
  }
}

async function answerOf(finder: Finder, asked: Question): Promise<FindAnswer> {
  if ('group' in asked) return { present: await finder.ask(asked.source, asked.group) };
  const filter =
    'order_name' in asked ? { orderName: asked.order_name } : { trackingCode: asked.tracking_code };
  return { found: await finder.find(asked.source, filter) };
}
