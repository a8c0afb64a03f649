// AWS's documented rules for the entries of PublishBatch that fauxqs does not check.
// https://docs.aws.amazon.com/sns/latest/api/API_PublishBatch.html
// https://docs.aws.amazon.com/sns/latest/dg/large-message-payloads.html

/** An entry of a batch, by the names of the request's parameters (`Message`, `MessageAttributes.entry.1.Name`, …). */
export type Entry = Readonly<Record<string, string>>;

export interface SnsError {
  readonly code: string;
  readonly status?: number;
  readonly message?: string;
}

export const ENTRY = /^PublishBatchRequestEntries\.member\.(\d+)\.(.+)$/;

/** Returns the entries by their index in the request. */
export function entriesOf(parameters: URLSearchParams): Map<string, Entry> {
  const entries = new Map<string, Record<string, string>>();
  for (const [name, value] of parameters) {
    const [, place, field] = ENTRY.exec(name) ?? [];
    if (place === undefined || field === undefined) continue;
    entries.set(place, { ...entries.get(place), [field]: value });
  }
  return entries;
}

/** Applies the checks that AWS makes before it publishes any entry. @returns the error of the first failed check */
export function checkBatch(entries: readonly Entry[], maximum: number): SnsError | undefined {
  const parts = entries.map((entry) => ({ Message: entry.Message ?? '', attributes: attributesOf(entry) }));
  if (entries.length > 10) return { code: 'TooManyEntriesInBatchRequest' };
  if (new Set(entries.map(({ Id }) => Id)).size < entries.length) return { code: 'BatchEntryIdsNotDistinct' };
  if (entries.some(({ Id = '' }) => !/^[\w-]{1,80}$/.test(Id))) return { code: 'InvalidBatchEntryId' };
  if (parts.some(({ Message, attributes }) => [Message, ...attributes].includes('')))
    return { code: 'ParameterValueInvalid', message: 'The value must not be empty.' };
  const sizes = parts.map(({ Message, attributes }) => Buffer.byteLength([Message, ...attributes].join('')));
  if (sizes.some((size) => size > maximum)) return { code: 'InvalidParameter', message: 'Message too long' };
  const sum = sizes.reduce((total, size) => total + size, 0);
  return sum > maximum ? { code: 'BatchRequestTooLong' } : undefined;
}

/** The names, types and values of an entry's attributes. */
function attributesOf(entry: Entry): string[] {
  return Object.entries(entry).flatMap(([name, value]) =>
    name.startsWith('MessageAttributes.') ? [value] : [],
  );
}

/** SQS rejects or replaces these characters; versions of its documentation differ. */
export function asKeptByQueue(text: string): string {
  return text.replace(/[\ufffe\uffff]/g, '\ufffd');
}
