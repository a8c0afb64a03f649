// W3: every attempt of an event has the same id and bytes, those of the ledger.
import type { Violation } from './evidence.ts';
import type { Indexed } from './index-evidence.ts';

export function checkSameBytes({ webhook, writtenById }: Indexed): Violation[] {
  const texts = new Map<string, string>();
  return webhook.attempts.flatMap(({ id, body }): Violation[] => {
    const written = writtenById.get(id);
    if (written === undefined) return [{ guarantee: 'W3', message: `${id} is the id of no event` }];
    const text = texts.get(id) ?? JSON.stringify(written.event);
    texts.set(id, text);
    return text === body ? [] : [{ guarantee: 'W3', message: `${id} was posted with other bytes` }];
  });
}
