import { describe, expect, it } from 'vitest';
import type { AddressRange } from '../../../shared/deployment/address-range.ts';
import { parseWebhookUrl } from '../../../shared/deployment/webhook-url.ts';

describe('parseWebhookUrl', () => {
  it.each<[string, AddressRange]>([
    ['https://example.com/hook?key=1', 'public'],
    ['https://93.184.216.34/', 'public'],
    ['https://10.0.0.7/', 'private'],
    ['https://[fd00::1]/', 'private'],
    ['http://127.0.0.1:3000/hook', 'any'],
  ])('accepts %s if allowed addresses are %s', (text, addresses) => {
    expect(parseWebhookUrl(text, addresses).href).toBe(new URL(text).href);
  });

  it.each<[string, AddressRange, string]>([
    ['example.com/hook', 'public', 'is not a URL'],
    ['http://example.com/', 'public', 'must begin with https://'],
    ['ftp://example.com/', 'any', 'must begin with https:// or http://'],
    ['https://me:pass@example.com/', 'public', 'user name or password'],
    ['https://127.0.0.1/', 'public', '127.0.0.1'],
    ['https://127.1/', 'public', '127.0.0.1'],
    ['https://0x7f000001/', 'public', '127.0.0.1'],
    ['https://2130706433/', 'public', '127.0.0.1'],
    ['https://[::ffff:10.0.0.1]/', 'public', '::ffff:a00:1'],
    ['https://10.0.0.7/', 'public', '10.0.0.7'],
    ['https://100.64.0.1/', 'private', '100.64.0.1'],
    ['https://169.254.169.254/', 'private', '169.254.169.254'],
    ['https://[fe80::1]/', 'private', 'fe80::1'],
    ['https://[fd00:ec2::254]/', 'private', 'fd00:ec2::254'],
    ['https://[fd00:ec2::23]/', 'private', 'fd00:ec2::23'],
    ['https://[fd20:ce::254]/', 'private', 'fd20:ce::254'],
    ['https://[2002:7f00:1::]/', 'public', '2002:7f00:1::'],
    ['https://198.18.0.1/', 'public', '198.18.0.1'],
    ['https://224.0.0.1/', 'public', '224.0.0.1'],
  ])('rejects %s if allowed addresses are %s', (text, addresses, problem) => {
    expect(() => parseWebhookUrl(text, addresses)).toThrow(problem);
  });
});
