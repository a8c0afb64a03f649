import { describe, expect, it } from 'vitest';
import {
  DeadlineReached,
  isFailure,
  SourceRefused,
  TokenUnavailable,
} from '../../../shared/pacing/errors.ts';
import { InvalidBaseUrlError } from '../../../shared/returns-service/base-url.ts';
import { InvalidTokenError, ReturnsServiceError } from '../../../shared/returns-service/errors.ts';

describe('a failure of the service, or of the access to it', () => {
  it.each([SourceRefused, TokenUnavailable, ReturnsServiceError, InvalidTokenError, InvalidBaseUrlError])(
    'is a $name',
    (kind) => {
      const error: Error = Object.create(kind.prototype);

      expect(isFailure(error)).toBe(true);
    },
  );

  it('is no end of the time, and no other error', () => {
    expect([new DeadlineReached('late'), new Error('other'), undefined].map(isFailure)).toEqual([
      false,
      false,
      false,
    ]);
  });
});
