// Review: what the secrets of a webhook may hold. No network: nothing gets as far as a connection, or it is loopback.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GetSecretValueCommand, ResourceNotFoundException, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { describe, expect, it } from 'vitest';
import { createSecretPost, type SecretPostSettings } from '../../../functions/webhook/secret-post.ts';
import { HOUR } from '../../../shared/instant.ts';
import { KEY, WEBHOOK, worldWith } from '../../shared/webhooks/webhook-world.ts';

const GOOD = 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** Secrets Manager with the versions of each secret, the current one first. */
function secretsManager(secrets: Record<string, string[]>): SecretsManagerClient {
  const send = async ({ input }: GetSecretValueCommand) => {
    const versions = secrets[input.SecretId ?? ''] ?? [];
    const SecretString = versions[input.VersionStage === 'AWSPREVIOUS' ? 1 : 0];
    if (SecretString === undefined) throw new ResourceNotFoundException({ message: 'none', $metadata: {} });
    return { SecretString };
  };
  return { send } as unknown as SecretsManagerClient;
}

async function receiver() {
  let received = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      received += 1;
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, received: () => received, close: () => (server.closeAllConnections(), server.close()) };
}

const settings = (url: string, more: Partial<SecretPostSettings> = {}): SecretPostSettings => ({
  WEBHOOK_URL: url,
  WEBHOOK_URL_SECRET: undefined,
  SIGNING_SECRET: 'signing',
  SECRET_HEADERS: {},
  ADDRESSES: 'any' as never,
  REQUEST_TIMEOUT_MS: 2_000,
  ...more,
});

describe('review: a signing secret that was invalid', () => {
  // runbook.md: "`The signing secret is invalid` | A secret was deleted or has a wrong value". The operator corrects it with
  // put-secret-value, or with `webhooks rotate` (which may be repeated after 24 hours at the earliest).
  it('works again once its current value is corrected', async () => {
    const endpoint = await receiver();
    // What a Secret of CDK without options holds first: 32 characters with punctuation. Then the corrected value.
    const versions = ['p9$kd,!x(Tt]:<qAZ.2"m^v;RrN=u+b{'];
    let now = 0;
    const post = createSecretPost(settings(endpoint.url), secretsManager({ signing: versions }), () => now);
    const first = await post({ id: 'a', body: '{}' });
    versions.unshift(GOOD);
    now += 3_600_000;
    const second = await post({ id: 'a', body: '{}' });
    endpoint.close();

    expect(first).toMatchObject({ failure: expect.stringContaining('invalid') });
    expect(second).toMatchObject({ status: 204 });
  });
});

describe('review: a secret header with a character that no header may have', () => {
  it('is reported like any other failure: noted, retried by the schedule, and counted for the alarm `Failing`', async () => {
    const endpoint = await receiver();
    const secrets = secretsManager({ signing: [GOOD], token: ['Bearer abc\ndef'] });
    const post = createSecretPost(settings(endpoint.url, { SECRET_HEADERS: { authorization: 'token' } }), secrets, () => 0);
    const world = worldWith(1);
    const ring = () => world.clock.run(world.sender({ post })({ key: KEY, sequence: 1 }, 60_000));
    await ring();
    await world.clock.advance(2 * HOUR);
    const outcome = await ring();
    const state = await world.endpoints.load(WEBHOOK);
    endpoint.close();

    expect.soft(outcome).toMatchObject({ failingForMs: 2 * 3_600_000, retryInMs: 900_000 });
    expect.soft(world.marks.behind(WEBHOOK, KEY)).toBeDefined();
    expect.soft(state?.failures).toBe(2);
    expect.soft(state?.lastFailure).toBeDefined();
  });
});
