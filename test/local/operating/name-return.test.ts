// The words by which a person names a return, beside a running feed.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { nameReturn } from '../../../local/operating/name-return.ts';
import { runFeed } from '../cli/run-feed.ts';
import { aParcel, HOSTILE, type SearchedFeed, startSearchedFeed, TOKEN } from './searched-feed.ts';

let searched: SearchedFeed;

beforeAll(async () => {
  searched = await startSearchedFeed();
});
afterAll(() => searched.close());

test('explain finds a return by its tracking number, its order name or an event, as a person types it', async () => {
  const { group, shipment } = aParcel(searched);
  searched.service.control.mutate(group, (draft) => {
    draft.order.name = HOSTILE;
  });
  const { generation } = await searched.open((open) => open.stateOf('acme'));

  const byTracking = await runFeed(
    ['explain', '--tracking', String(shipment?.tracking_number), '--data', searched.data],
    { token: TOKEN },
  );
  const byEvent = await runFeed(['explain', `acme_${generation}_${group}_1`, '--data', searched.data]);
  const without = await runFeed(['explain', '--order', '#not-stored', '--data', searched.data]);

  expect(byTracking).toMatchObject({ code: 0, stderr: '' });
  expect(byTracking.stdout).toMatch(new RegExp(`^return group ${group} of source acme`));
  expect(byEvent).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining(`group ${group} of`),
  });
  expect(without).toMatchObject({ code: 1, stdout: '' });
  expect(without.stderr).toMatch(/^error: [^\n]+RETURNS_API_TOKEN[^\n]+\n$/);
});

const name = (...words: string[]) => searched.open((open) => nameReturn(open, { words }));

test('explain rejects a text of several returns: the error lists them with the command for one', async () => {
  const [one, other] = searched.service.control.snapshot().slice(50, 52);
  for (const group of [one, other])
    searched.service.control.mutate(Number(group?.id), (draft) => {
      draft.order.name = '#5001';
    });
  vi.stubEnv('RETURNS_API_TOKEN', TOKEN);

  const naming = name('acme', '#5001');

  await expect(naming).rejects.toThrow(
    new RegExp(`^2 returns have "#5001": .*${one?.id}.*${other?.id}|${other?.id}.*${one?.id}`),
  );
  await expect(naming).rejects.toThrow(` --data ${searched.data}`);
  vi.unstubAllEnvs();
});

test('explain rejects an unknown text: the error names the places of the search, and what to try', async () => {
  vi.stubEnv('RETURNS_API_TOKEN', TOKEN);

  const naming = name('acme', '#none');

  await expect(naming).rejects.toThrow('No return with the text "#none" was found in source acme. See which');
  vi.unstubAllEnvs();
});

test.each([
  [['acme'], '"acme" is a source. Name the source and the id'],
  [[], 'Name the source and the id of a return group'],
  [['acme_abc_feed_1'], 'is an event of the feed itself'],
  [['other', '#1'], 'There is no state of a source "other"'],
  [[' '], 'The text to search for is empty'],
])('words that name no return are rejected: %j', async (words, message) => {
  await expect(name(...words)).rejects.toThrow(message);
});
