import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseSigningSecret } from '../../../functions/adapters/webhook-signature.ts';

describe('parseSigningSecret', () => {
  const bytes = randomBytes(48).toString('base64');

  it('takes 64 letters and digits with and without the prefix', () => {
    const letters = 'a1B2'.repeat(16);
    expect(parseSigningSecret(letters)).toHaveLength(48);
    expect(parseSigningSecret(`whsec_${letters}\n`)).toEqual(parseSigningSecret(letters));
    expect(parseSigningSecret(bytes)).toHaveLength(48);
  });

  it.each([
    ['', 'not base64'],
    ['whsec_', 'not base64'],
    ['whsec_abc def', 'not base64'],
    ['{"a":1}', 'it is JSON'],
    ['c2hvcnQ=', 'it has 5 bytes'],
    [randomBytes(65).toString('base64'), 'it has 65 bytes'],
  ])('rejects %j', (secret, problem) => {
    expect(() => parseSigningSecret(secret)).toThrow(problem);
  });
});
