import type { ReturnChanged, WholeReturn } from 'returns-change-feed/contract/return-message';
import { type PreAdvice, toPreAdvice } from 'returns-change-feed/webhook-receiver';

/** Puts a pre-advice into your warehouse system in place of the last one with this key; null withdraws it. */
type Put = (key: string, advice: PreAdvice | null) => Promise<unknown>;

/** The handler: `on: { 'return.changed': announce(put) }`. */
export const announce = (put: Put) => async (message: ReturnChanged) => {
  await put(`${message.source}/${message.data.return_group.id}`, toPreAdvice(message.data.return) ?? null);
};

/** Puts what `export` wrote, line by line; the source for instance `/sources/acme`. */
export async function repair(put: Put, source: string, lines: AsyncIterable<string>): Promise<void> {
  for await (const line of lines) {
    const whole: WholeReturn = JSON.parse(line);
    await put(`${source}/${whole.return_group.id}`, toPreAdvice(whole) ?? null);
  }
}
