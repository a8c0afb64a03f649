// The compiler checks the names in a handler: the right names compile, and each misspelled one does not.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const RIGHT = `
export const handler = createQueueSubscriber({
  on: {
    'shipment.status_changed': async ({ data }, { position }) => {
      const before: string | undefined = data.previous_attributes.status;
      const now: 'DELIVERED' | (string & {}) = data.object.status;
      return [before, now, data.object.tracking_number?.length, data.return_group.order.name, position];
    },
    'refund_transaction.created': ({ data }) => data.object.amount?.shop_money?.amount.toFixed(2),
    ...becomes('return_line_item', { COMPLETED: ({ data }) => data.object.sku?.length }),
  },
  otherwise: ({ type }) => type.length,
});
export const lambda: SQSHandler = handler;
export const target: EventBridgeHandler<string, unknown, unknown> = createBusSubscriber({ on: {} });
`;

/** Each compiles except for one name. */
const SLIPS: Readonly<Record<string, readonly [right: string, wrong: string]>> = {
  'a field of the entity': ['data.object.tracking_number', 'data.object.tracking_no'],
  'a field that may be null': ['data.object.tracking_number?.length', 'data.object.tracking_number.length'],
  'a field of before': ['data.previous_attributes.status', 'data.previous_attributes.state'],
  'a field that is not watched': ['data.previous_attributes.status', 'data.previous_attributes.created_at'],
  'a field of the order': ['data.return_group.order.name', 'data.return_group.order.email'],
  'a type of event': ["'refund_transaction.created'", "'refund_transaction.updated'"],
  'a status': ['COMPLETED:', 'COMPLETE:'],
  'a kind of entity': ["becomes('return_line_item'", "becomes('refund_transaction'"],
  'a field of the context': ['{ position }', '{ place: position }'],
  'an option': ['otherwise:', 'otherwize:'],
};

let folder: string;
let errors: string;

beforeAll(async () => {
  folder = await mkdtemp(join(ROOT, 'node_modules', '.cache-handlers-'));
  const kit = join(ROOT, 'functions/subscriber-kit/subscriber-kit.ts');
  const head = `import type { EventBridgeHandler, SQSHandler } from 'aws-lambda';
import { becomes, createBusSubscriber, createQueueSubscriber } from '${kit}';
`;
  await writeFile(join(folder, 'right.ts'), head + RIGHT);
  for (const [index, [right, wrong]] of Object.values(SLIPS).entries())
    await writeFile(join(folder, `slip-${index}.ts`), head + RIGHT.replace(right, wrong));
  const config = {
    extends: join(ROOT, 'tsconfig.json'),
    include: ['*.ts'],
    compilerOptions: { rewriteRelativeImportExtensions: false },
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  errors = await promisify(execFile)(process.execPath, [
    join(ROOT, 'node_modules/typescript/bin/tsc'),
    '-p',
    folder,
  ]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}, 120_000);
afterAll(() => rm(folder, { recursive: true }));

describe('handlers', () => {
  it('compile, also with Lambda’s own types', () => {
    expect(errors).not.toMatch(/right\.ts/);
  });

  it.each(Object.keys(SLIPS).map((slip, index) => [slip, index] as const))(
    'do not compile with a misspelled name: %s',
    (_slip, index) => {
      expect(errors).toMatch(new RegExp(`slip-${index}\\.ts`));
    },
  );
});
