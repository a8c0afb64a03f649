import { describe, expect, it } from 'vitest';
import { InvalidBaseUrlError, parseBaseUrl } from '../../../shared/returns-service/base-url.ts';

describe('a base URL', () => {
  it.each([
    ['https://returns.example.com', 'https://returns.example.com'],
    ['https://returns.example.com/', 'https://returns.example.com'],
    ['https://returns.example.com/api/v9//', 'https://returns.example.com/api/v9'],
    ['  HTTPS://Returns.Example.com:8443/Api \n', 'https://returns.example.com:8443/Api'],
    ['http://localhost:3000/api/', 'http://localhost:3000/api'],
    ['http://127.0.0.1', 'http://127.0.0.1'],
    ['http://127.9.8.7:80', 'http://127.9.8.7'],
    ['http://0x7f.1/api', 'http://127.0.0.1/api'],
    ['http://[::1]:4000', 'http://[::1]:4000'],
  ])('%j is parsed as %s', (text, url) => {
    expect(parseBaseUrl(text)).toBe(url);
  });

  it.each([
    ['', 'is empty'],
    ['returns.example.com', 'write one such as https://returns.example.com/api'],
    ['ftp://returns.example.com', 'is not an https address'],
    ['https://', 'is not an https address'],
    ['javascript:alert(1)', 'is not an https address'],
    ['http://returns.example.com/api/', 'write https://returns.example.com/api.'],
    ['http://127.0.0.1.example.com', 'must begin with https'],
    ['http://localhost.example.com', 'must begin with https'],
    ['http://10.0.0.1', 'must begin with https'],
    ['https://returns.example.com/?limit=1', 'leave out everything from the first ? or #'],
    ['https://returns.example.com/#', 'leave out everything from the first ? or #'],
  ])('%j is rejected with a hint how to correct it', (text, words) => {
    expect(() => parseBaseUrl(text)).toThrow(InvalidBaseUrlError);
    expect(() => parseBaseUrl(text)).toThrow(words);
  });

  it('with a user name or password is rejected without showing them', () => {
    expect(() => parseBaseUrl('http://anna:s3cret@returns.example.com/?key=s3cret')).toThrow(
      expect.not.objectContaining({ message: expect.stringMatching(/anna|s3cret/) }),
    );
  });
});
