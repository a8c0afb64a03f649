// Events go through classes that generators make from the schema, in other languages, and come back equal. Slow: it runs
// the generators and compilers, and the first run downloads them.
import { expect, test } from 'vitest';
import type { FeedEvent } from '../../shared/contract/event.ts';
import type { ReturnChanged } from '../../shared/contract/return-message.ts';
import { committedExample, recordedLines } from '../shared/contract/committed-contracts.ts';
import { goProgram, javaProgram, type Program, pythonProgram, Unavailable } from './generate.ts';

const RECORDED: readonly (FeedEvent | ReturnChanged)[] = [
  ...recordedLines().map((line) => JSON.parse(line)),
  committedExample('return.changed'),
];
const MONEY = { amount: 12.5, currency_code: 'EUR' };
/** Fields that the recorded source has not asked for. */
const MORE = {
  backfill: true,
  customer: { name: 'Ada', email: null, phone: null },
  included: {
    order_tags: ['vip'],
    suggested_refund: {
      refund_total: { shop_money: MONEY, presentment_money: null },
      ...{ return_total: null, return_tax_total: null, exchange_total: null, exchange_tax_total: null },
    },
    destination_address: { city: 'Leeds', province: null, country: 'GB' },
  },
};
const EVENTS = [
  ...RECORDED,
  ...RECORDED.filter(({ type }) => type === 'shipment.created').map((event) => ({
    ...event,
    data: { ...event.data, ...MORE },
  })),
];

const MINUTES_10 = 600_000;

test.each([
  ['Python', pythonProgram],
  ['Go', goProgram],
  ['Java', javaProgram],
])(
  'events come back equal from generated classes of %s',
  (language, generate) => {
    const startedAt = Date.now();
    const program = generated(generate);
    if (program instanceof Unavailable) return skip(language, program);

    const returned = program(EVENTS.map((event) => JSON.stringify(event)));

    console.log(`${language}: ${returned.length} events, ${Math.round((Date.now() - startedAt) / 1_000)} s`);
    expect(returned.map((line) => plain(JSON.parse(line)))).toEqual(EVENTS.map(plain));
  },
  MINUTES_10,
);

function generated(generate: () => Program): Program | Unavailable {
  try {
    return generate();
  } catch (error) {
    if (error instanceof Unavailable) return error;
    throw error;
  }
}

function skip(language: string, { message }: Unavailable): void {
  console.log(`${language} is skipped: ${message}`);
}

/**
 * What a class can keep of an event: it does not distinguish an absent field from null, so `changed` decides which fields
 * `previous_attributes` has.
 */
function plain(event: unknown): unknown {
  const { data, ...envelope } = event as { readonly data: Readonly<Record<string, unknown>> };
  const { previous_attributes: previous, ...rest } = data as {
    readonly previous_attributes?: Readonly<Record<string, unknown>>;
    readonly changed?: readonly string[];
  };
  if (previous === undefined || rest.changed === undefined) return present({ ...envelope, data: rest });
  const before = rest.changed.map((field) => [field, present(previous[field]) ?? 'nothing']);
  return present({ ...envelope, data: { ...rest, before } });
}

/** Without nulls, and stamps without the zeros at their end. */
function present(value: unknown): unknown {
  if (typeof value === 'string')
    return value.replace(/(\.\d*?)0+(Z|\+00:00)$/, '$1$2').replace(/\.(?=Z|\+)/, '');
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  if (Array.isArray(value)) return value.map(present);
  const fields = Object.entries(value).map(([name, field]) => [name, present(field)] as const);
  return Object.fromEntries(fields.filter(([, field]) => field !== undefined));
}
