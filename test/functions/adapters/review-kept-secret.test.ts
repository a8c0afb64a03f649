// Review: "The new and the previous secret sign until the next rotation, so the receiver needs only one of them and can change
// it at any time in between." (docs/webhooks.md)
import { type GetSecretValueCommand, ResourceNotFoundException, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { expect, it } from 'vitest';
import { createKeptSecret } from '../../../functions/adapters/kept-secret.ts';

it.each([
  ['AWSCURRENT', 'AWSPREVIOUS'],
  ['AWSPREVIOUS', 'AWSCURRENT'],
])('review: secrets read while a rotation happens include the one that the receiver has (%s answers first)', async (first) => {
  // The receiver has `A`. `Z` was replaced by `A` days ago. The rotation to `B` falls between the two reads.
  let versions = ['A', 'Z'];
  const send = async ({ input }: GetSecretValueCommand) => {
    if (input.VersionStage !== first) await new Promise((resolve) => setTimeout(resolve, 20));
    const SecretString = versions[input.VersionStage === 'AWSPREVIOUS' ? 1 : 0];
    if (SecretString === undefined) throw new ResourceNotFoundException({ message: 'none', $metadata: {} });
    return { SecretString };
  };
  const secret = createKeptSecret({ client: { send } as unknown as SecretsManagerClient, secretId: 's', now: () => 0 });
  const reading = secret.versions();
  await new Promise((resolve) => setTimeout(resolve, 5));
  versions = ['B', 'A'];
  const signing = await reading;
  console.log('signing with', signing);

  expect(signing).toContain('A');
});
