// docs/warehouse.md: its webhook has whole returns, and its example keeps the pre-advices of a warehouse system.
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it, test } from 'vitest';
import type { PreAdvice } from '../../functions/subscriber-kit/to-pre-advice.ts';
import { EVENT_SCHEMAS } from '../../shared/contract/event.ts';
import type { ReturnChanged, WholeReturn } from '../../shared/contract/return-message.ts';
import { aFeed } from '../infra/synthesize.ts';
import { resourcesOf } from '../infra/template.ts';
import { committedExample } from '../shared/contract/committed-contracts.ts';
import { importExample } from './import-example.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const PAGE = read('docs/warehouse.md');
const MESSAGE = committedExample('return.changed');
const WHOLE = MESSAGE.data.return as WholeReturn;
const KEY = '/sources/acme/100104';

test('docs/warehouse.md shows docs/examples/pre-advice.ts unchanged', () => {
  expect(PAGE).toContain(`\`\`\`ts\n${read('docs/examples/pre-advice.ts')}\`\`\``);
});

test('its life cycle names types and fields that events have', () => {
  const names = [...(PAGE.split('\n\nSteps may')[0] ?? '').matchAll(/`([^`]+)`/g)].map(
    ([, name = '']) => name,
  );
  const types = Object.keys(EVENT_SCHEMAS);
  const schema = read('docs/events/schema.json');

  const unknown = names.filter((name) =>
    name.includes('.') ? !types.some((type) => type.endsWith(name)) : !schema.includes(`"${name}"`),
  );

  expect(names.length).toBeGreaterThan(20);
  expect(unknown).toEqual([]);
});

test('its webhook posts whole returns, filtered by tracking number', () => {
  const { feed, template } = aFeed();
  const code = /```ts\n(feed\.addWebhook.+?)```/s.exec(PAGE)?.[1] ?? '';

  new Function('feed', code)(feed);

  const senders = resourcesOf(template(), 'AWS::Lambda::Function').map(
    ([, { Properties }]) => Properties.Environment?.Variables ?? {},
  );
  expect(senders).toContainEqual(
    expect.objectContaining({ WEBHOOK_ID: 'Wms', SHAPE: 'return', FILTER: '{"hasTracking":true}' }),
  );
});

describe('the example', () => {
  let example: typeof import('../../docs/examples/pre-advice.ts');
  let advices: Map<string, PreAdvice>;

  beforeAll(async () => {
    example = await importExample('pre-advice.ts');
    advices = new Map();
  });

  async function put(key: string, advice: PreAdvice | null): Promise<void> {
    if (advice === null) advices.delete(key);
    else advices.set(key, advice);
  }

  it('puts a pre-advice, and withdraws it with the return', async () => {
    const announce = example.announce(put);

    await announce(MESSAGE);
    const announced = advices.get(KEY)?.lines.map(({ sku, quantity }) => [sku, quantity]);
    const removed: ReturnChanged = { ...MESSAGE, data: { ...MESSAGE.data, return: null } };
    await announce(removed);

    expect(announced).toEqual([
      ['LSH-OLI-S', 1],
      ['TRN-RUS-M', 1],
    ]);
    expect(advices.size).toBe(0);
  });

  it('repairs what was lost, and what should not be there, from the rows of `export`', async () => {
    const canceled = WHOLE.entities.map((entity) => ({
      ...entity,
      status: 'CANCELED',
    })) as WholeReturn['entities'];
    const rows: WholeReturn[] = [
      WHOLE,
      { ...WHOLE, return_group: { ...WHOLE.return_group, id: 7 }, entities: canceled },
    ];
    async function* lines() {
      for (const row of rows) yield JSON.stringify(row);
    }
    await put('/sources/acme/7', {
      returnGroupId: 7,
      order: WHOLE.return_group.order,
      parcels: [],
      lines: [],
    });

    await example.repair(put, '/sources/acme', lines());

    expect([...advices].map(([key, { parcels }]) => [key, parcels[0]?.trackingNumber])).toEqual([
      [KEY, '779100000001030R'],
    ]);
  });
});
