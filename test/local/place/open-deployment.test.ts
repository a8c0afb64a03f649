import { afterEach, expect, test, vi } from 'vitest';
import { UsageError } from '../../../local/cli/failures.ts';
import { openDeployment } from '../../../local/place/open-deployment.ts';

afterEach(() => vi.unstubAllEnvs());

test('a variable that should name the address of a service of AWS is named if it does not', async () => {
  for (const role of ['SOURCES', 'SNAPSHOTS', 'LEDGER', 'MARKS']) vi.stubEnv(`${role}_TABLE`, role);
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'garbage');

  const opening = openDeployment(undefined);

  await expect(opening).rejects.toThrow(UsageError);
  await expect(opening).rejects.toThrow(/^AWS_ENDPOINT_URL_DYNAMODB must be .* \(got "garbage"\)\.$/);
});
