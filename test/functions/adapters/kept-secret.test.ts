import type { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { describe, expect, it } from 'vitest';
import { createKeptSecret } from '../../../functions/adapters/kept-secret.ts';

describe('the versions of a secret', () => {
  it.each([
    ['current', 'AWSCURRENT', ['B', 'A']],
    ['previous', 'AWSPREVIOUS', ['A']],
  ])(
    'include the one from before a rotation that ends before the %s one is read',
    async (_, late, expected) => {
      // `Z` was replaced by `A` days ago.
      let versions = ['A', 'Z'];
      let rotated = () => {};
      const rotation = new Promise<void>((resolve) => {
        rotated = resolve;
      });
      const send = async ({ input }: GetSecretValueCommand) => {
        if (input.VersionStage === late) await rotation;
        return { SecretString: versions[input.VersionStage === 'AWSPREVIOUS' ? 1 : 0] };
      };
      const client = { send } as unknown as SecretsManagerClient;
      const reading = createKeptSecret({ client, secretId: 'signing', now: () => 0 }).versions();
      versions = ['B', 'A'];
      rotated();

      expect(await reading).toEqual(expected);
    },
  );
});
