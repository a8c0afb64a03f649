// What AWS documents about the entries of PublishBatch, and fauxqs does not check.
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

/** The entries by their place in the request. */
export function entriesOf(parameters: URLSearchParams): Map<string, Entry> {
  const entries = new Map<string, Record<string, string>>();
  for (const [name, value] of parameters) {
    const [, place, field] = ENTRY.exec(name) ?? [];
    if (place === undefined || field === undefined) continue;
    entries.set(place, { ...entries.get(place), [field]: value });
  }
  return entries;
}

/** What AWS checks before it publishes any entry. */
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

/** Names, types and values. */
function attributesOf(entry: Entry): string[] {
  return Object.entries(entry).flatMap(([name, value]) =>
    name.startsWith('MessageAttributes.') ? [value] : [],
  );
}

/** SQS rejects these characters or replaces them, whoever sends: its documents have said either. */
export function asKeptByQueue(text: string): string {
  return text.replace(/[\ufffe\uffff]/g, '\ufffd');
}
