// Values of a webhook's secrets, valid and invalid. The receiver is on this machine; Secrets Manager is a list of
// versions.
import {
  type GetSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSecretPost, type SecretPostSettings } from '../../../functions/webhook/secret-post.ts';
import { HOUR } from '../../../shared/instant.ts';
import { createKeptLog } from '../../shared/publishing/kept-log.ts';
import { KEY, WEBHOOK, worldWith } from '../../shared/webhooks/webhook-world.ts';
import { closeAll, serve } from '../adapters/listeners.ts';
import { SELF_SIGNED_CERTIFICATE, SELF_SIGNED_KEY } from '../adapters/self-signed-certificate.ts';

const GOOD = 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

let settings: SecretPostSettings;

beforeEach(async () => {
  settings = {
    WEBHOOK_URL: await serve((request, response) => {
      request.resume().on('end', () => response.writeHead(204).end());
    }),
    WEBHOOK_URL_SECRET: undefined,
    SIGNING_SECRET: 'signing',
    SECRET_HEADERS: {},
    CLIENT_CERTIFICATE: undefined,
    CONTENT_TYPE: 'application/cloudevents+json',
    ADDRESSES: 'any',
    REQUEST_TIMEOUT_MS: 2_000,
  };
});
afterEach(closeAll);

/** Posts an event an hour after the last one, so that the secrets are read again. */
function posting(secrets: Record<string, readonly string[]>, more: Partial<SecretPostSettings> = {}) {
  let now = 0;
  const log = createKeptLog();
  const post = createSecretPost(
    { ...settings, ...more },
    { client: secretsManager(secrets), now: () => now, log },
  );
  return {
    ...{ log, post },
    postAnHourLater() {
      now += 3_600_000;
      return post({ id: 'a', body: '{}' });
    },
  };
}

/** Secrets Manager with the versions of each secret, the current one first. */
function secretsManager(secrets: Record<string, readonly string[]>): SecretsManagerClient {
  const send = async ({ input }: GetSecretValueCommand) => {
    const versions = secrets[input.SecretId ?? ''] ?? [];
    const SecretString = versions[input.VersionStage === 'AWSPREVIOUS' ? 1 : 0];
    if (SecretString === undefined) throw new ResourceNotFoundException({ message: 'none', $metadata: {} });
    return { SecretString };
  };
  return { send } as unknown as SecretsManagerClient;
}

describe('a signing secret that can’t sign', () => {
  // CDK makes such a secret by default: 32 characters with punctuation.
  const BAD = 'p9$kd,!x(Tt]:<qAZ.2"m^v;RrN=u+b{';

  it('does not stop the webhook after a rotation, and is reported each time the secrets are read', async () => {
    const versions = [BAD];
    const { log, post, postAnHourLater } = posting({ signing: versions });

    expect(await postAnHourLater()).toMatchObject({
      failure: expect.stringContaining('The signing secret is invalid'),
    });
    versions.unshift(GOOD);
    expect(await postAnHourLater()).toMatchObject({ status: 204 });
    expect(await post({ id: 'a', body: '{}' })).toMatchObject({ status: 204 });

    expect(log.lines).toEqual([
      expect.objectContaining({ level: 'warn', message: 'the previous signing secret does not sign' }),
    ]);
    expect(JSON.stringify(log.lines)).not.toContain('p9$kd');
  });
});

describe('a client certificate', () => {
  it('that is invalid is reported, and the next value is used', async () => {
    const versions = ['nonsense'];
    const secrets = { signing: [GOOD], certificate: versions };
    const { postAnHourLater } = posting(secrets, { CLIENT_CERTIFICATE: 'certificate' });

    expect(await postAnHourLater()).toEqual({
      failure: expect.stringContaining('The client certificate is invalid'),
      requestMs: 0,
    });
    versions.unshift(`${SELF_SIGNED_CERTIFICATE}\n${SELF_SIGNED_KEY}`);

    expect(await postAnHourLater()).toMatchObject({ status: 204 });
  });
});

describe('a secret header with a character that no header may have', () => {
  it('is noted, retried by the schedule, and counts for the alarm', async () => {
    const secrets = { signing: [GOOD], token: ['Bearer abc\ndef'] };
    const { post } = posting(secrets, { SECRET_HEADERS: { authorization: 'token' } });
    const world = worldWith(1);
    const ring = () => world.clock.run(world.sender({ post })({ key: KEY, sequence: 1 }, 60_000));
    await ring();
    await world.clock.advance(2 * HOUR);

    expect(await ring()).toEqual({ isDone: false, retryInMs: 900_000, failingForMs: 2 * 3_600_000 });

    expect(world.marks.behind(WEBHOOK, KEY)).toBe('1: ERR_INVALID_CHAR');
    expect(await world.endpoints.load(WEBHOOK)).toMatchObject({
      failures: 2,
      lastFailure: 'ERR_INVALID_CHAR',
    });
  });
});
