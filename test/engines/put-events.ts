// The validation of EventBridge's PutEvents: it rejects a request as a whole, or single entries within a response 200.
// https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html
import * as z from 'zod';
import { parseJson } from '../../shared/parse-json.ts';

const MAX_ENTRIES = 10;
/** Limit for all entries together, since January 2026. */
const MAX_REQUEST_BYTES = 1_048_576;
/** The counted size of any Time. */
const TIME_BYTES = 14;

const entrySchema = z.object({
  Source: z.string().nullish(),
  DetailType: z.string().nullish(),
  Detail: z.string().nullish(),
  Resources: z.array(z.string()).nullish(),
  /** Seconds since the epoch. */
  Time: z.number().nullish(),
});

const requestSchema = z.object({ Entries: z.array(entrySchema) });

type Entry = z.infer<typeof entrySchema>;

/** An accepted entry: the content of the event. */
export interface TakenEntry {
  readonly source: string;
  readonly detailType: string;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly resources: readonly string[];
  /** Milliseconds since the epoch; undefined if the entry has no time. */
  readonly timeMs: number | undefined;
}

interface RefusedEntry {
  readonly ErrorCode: string;
  readonly ErrorMessage: string;
}

export type PutEventsRequest =
  /** Answered with 400; no entry is accepted. */
  | { readonly refused: { readonly type: string; readonly message: string } }
  /** Answered with 200; one outcome per entry, in order. */
  | { readonly outcomes: readonly (TakenEntry | RefusedEntry)[] };

/** Parses the body of a PutEvents request and validates each entry. */
export function readPutEvents(body: string): PutEventsRequest {
  const request = requestSchema.safeParse(parseJson(body));
  if (!request.success) return refuse('SerializationException', 'The request is not one of PutEvents.');
  const entries = request.data.Entries;
  if (entries.length === 0 || entries.length > MAX_ENTRIES) {
    return refuse(
      'ValidationException',
      `1 validation error detected: Value at 'entries' failed to satisfy constraint: Member must have length ` +
        `between 1 and ${MAX_ENTRIES}`,
    );
  }
  if (entries.reduce((bytes, entry) => bytes + sizeOf(entry), 0) > MAX_REQUEST_BYTES) {
    return refuse('ValidationException', 'Total size of the entries in the request is over the limit.');
  }
  return { outcomes: entries.map(judge) };
}

function judge({ Source, DetailType, Detail, Resources, Time }: Entry): TakenEntry | RefusedEntry {
  if (!Source) return missing('Source');
  if (!DetailType) return missing('DetailType');
  if (!Detail) return missing('Detail');
  if (Source.startsWith('aws.')) {
    return { ErrorCode: 'NotAuthorizedForSourceException', ErrorMessage: 'Not authorized for the source.' };
  }
  const detail = z.record(z.string(), z.unknown()).safeParse(parseJson(Detail));
  if (!detail.success) return { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
  return {
    source: Source,
    detailType: DetailType,
    detail: detail.data,
    resources: Resources ?? [],
    timeMs: typeof Time === 'number' ? Time * 1000 : undefined,
  };
}

/** https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevent-size.html */
function sizeOf({ Source, DetailType, Detail, Resources, Time }: Entry): number {
  const texts = [Source, DetailType, Detail, ...(Resources ?? [])];
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0);
  return bytes + (typeof Time === 'number' ? TIME_BYTES : 0);
}

function missing(parameter: string): RefusedEntry {
  return {
    ErrorCode: 'InvalidArgument',
    ErrorMessage: `Parameter ${parameter} is not valid. Reason: ${parameter} is a required argument.`,
  };
}

function refuse(type: string, message: string): PutEventsRequest {
  return { refused: { type, message } };
}
