// The service's present answer for a return, compared with what a running feed has stored.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askService } from '../../../local/place/ask-service.ts';
import { aParcel, type SearchedFeed, startSearchedFeed, TOKEN } from '../operating/searched-feed.ts';

let searched: SearchedFeed;

beforeAll(async () => {
  searched = await startSearchedFeed();
});
afterAll(() => searched.close());

const ask = (group: number) =>
  searched.open((open) => askService(open, 'acme', group, { environment: { RETURNS_API_TOKEN: TOKEN } }));

test('the present answer equals the feed’s state until the group changes', async () => {
  const { group, shipment } = aParcel(searched);
  const before = await ask(group);
  searched.service.control.mutate(group, (draft) => {
    const [first] = draft.shipments;
    if (first) first.status = first.status === 'FAILED' ? 'CANCELED' : 'FAILED';
  });

  const changed = await ask(group);
  await searched.feed.tick();
  const after = await ask(group);

  expect(before).toMatchObject({ answer: { kind: 'shown' }, agrees: true, differences: [] });
  expect(changed.differences).toContainEqual({
    entity: `shipment/${shipment?.id}`,
    kind: 'changed',
    fields: [{ field: 'status', inFeed: shipment?.status, atService: expect.any(String) }],
  });
  expect(after).toMatchObject({ agrees: true, differences: [] });
});

test('the present answer has only fields of the allowlist', async () => {
  const { group } = aParcel(searched);

  const asked = await ask(group);

  const { customer } = searched.service.control.snapshot().find(({ id }) => id === group) as unknown as {
    readonly customer: { readonly email: string };
  };
  expect(JSON.stringify(asked)).not.toContain(customer.email);
  expect(JSON.stringify(asked)).not.toContain('customer');
});

test('a group is absent if the service does not have it', async () => {
  const asked = await ask(999_999_999);

  expect(asked).toMatchObject({ answer: { kind: 'absent' }, agrees: true });
});
