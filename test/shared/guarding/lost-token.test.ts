import { describe, expect, it } from 'vitest';
import { createReturnsServiceClient } from '../../../shared/returns-service/client.ts';
import { sourceSettings } from '../../../shared/source/source-settings.ts';
import { createSourceWorld, SOURCE } from '../source-world.ts';
import { conditions } from './two-stores.ts';

const SECRET = 'a-token-that-nobody-may-see';

/** A secret that is valid until a test changes it. */
function createSecret(token: string) {
  const secret = {
    held: token as string | Error,
    async read() {
      if (secret.held instanceof Error) throw secret.held;
      return secret.held;
    },
  };
  return secret;
}

function gone(): Error {
  const error = new Error(`Can't find the secret; it was once ${SECRET}.`);
  error.name = 'ResourceNotFoundException';
  return error;
}

const UNUSABLE: readonly (readonly [string, string | Error])[] = [
  ['is deleted', gone()],
  ['is empty', ' \n'],
  ['holds an invalid token', `${SECRET} and a blank`],
];

describe.each(UNUSABLE)('a source whose secret %s', (_, held) => {
  it('concludes its ticks, reports the failure within five minutes, and recovers by itself', async () => {
    const world = createSourceWorld();
    const secret = createSecret(world.network.token);
    const warm = world.startProcess('a', { secret });
    await world.tick(warm);
    secret.held = held;
    const cold = world.startProcess('b', { secret });
    const requestsBefore = world.requests().length;

    const reports = [];
    for (let minute = 0; minute < 6; minute += 1) reports.push(await world.nextTick(cold));
    const requestsMeanwhile = world.requests().length - requestsBefore;
    const { health } = await world.state();
    secret.held = world.network.token;
    const recovered = await world.nextTick(cold);

    expect(reports.map(({ outcome, polls }) => [outcome, polls])).toEqual(reports.map(() => ['done', 0]));
    expect(requestsMeanwhile).toBe(0);
    expect(health.reasons.map(({ code }) => code)).toEqual(['token_unreadable']);
    expect(recovered).toMatchObject({ outcome: 'done', polls: 1 });
    expect(await conditions(world)).toEqual([
      'feed.source_degraded token_unreadable',
      'feed.source_recovered',
    ]);
  });

  it('shows nothing of the secret in events and in the state', async () => {
    const world = createSourceWorld();
    const secret = createSecret(world.network.token);
    await world.tick(world.startProcess('a', { secret }));
    secret.held = held;
    const cold = world.startProcess('b', { secret });

    for (let minute = 0; minute < 6; minute += 1) await world.nextTick(cold);

    const shown = JSON.stringify([await world.state(), await world.feedEvents()]);
    expect(shown).toContain('token_unreadable');
    expect(shown).not.toContain(SECRET);
  });

  it('fails the tick as long as there is no state to record the failure', async () => {
    const world = createSourceWorld();
    const secret = createSecret(world.network.token);
    secret.held = held;

    await expect(world.tick(world.startProcess('a', { secret }))).rejects.toThrow(/token/);
  });
});

it('continues with the token that a warm process has read', async () => {
  const world = createSourceWorld();
  const secret = createSecret(world.network.token);
  const warm = world.startProcess('a', { secret });
  await world.tick(warm);

  secret.held = gone();
  const report = await world.nextTick(warm);

  expect(report).toMatchObject({ outcome: 'done', polls: 1, failure: undefined });
});

it('reports the error name of a secret store that fails', async () => {
  const world = createSourceWorld();
  const secret = createSecret(world.network.token);
  await world.tick(world.startProcess('a', { secret }));
  secret.held = gone();

  const report = await world.nextTick(world.startProcess('b', { secret }));

  expect(report.failure).toEqual({
    code: 'token_unreadable',
    message:
      "The source's token can't be read (ResourceNotFoundException): check that its secret exists, holds the token " +
      'and may be read by the poller.',
  });
});

it('reports a base URL that has become malformed in the same way', async () => {
  const world = createSourceWorld();
  await world.tick(world.startProcess('a'));
  const settings = sourceSettings.parse({ name: SOURCE, baseUrl: 'returns.example' });
  const client = (token: string) =>
    createReturnsServiceClient({ baseUrl: settings.baseUrl, token, transport: failingTransport });

  const report = await world.nextTick(world.startProcess('b', { settings, client }));

  expect(report).toMatchObject({ outcome: 'done', failure: { code: 'misconfigured' } });
});

function failingTransport(): Promise<never> {
  throw new Error('Nothing may be sent.');
}
