// Why a request was not made, or its answer not awaited. The cause is the service's answer, if there is one; for the
// other errors see returns-service/errors.ts.
import { InvalidBaseUrlError } from '../returns-service/base-url.ts';
import { InvalidTokenError, ReturnsServiceError } from '../returns-service/errors.ts';

/** Thrown when the next step would come after the deadline, or the caller asked to stop; the next tick continues. */
export class DeadlineReached extends Error {
  override readonly name = 'DeadlineReached';
}

/** Thrown when the service refuses the token that the secret holds: the source then rests, see rest.ts. */
export class SourceRefused extends Error {
  override readonly name = 'SourceRefused';
}

/** Thrown when the secret of the source's token is missing or can't be read; the cause says why. */
export class TokenUnavailable extends Error {
  override readonly name = 'TokenUnavailable';
}

/** Whether the service or the access to it caused the error: it may be gone at the next tick. */
export function isFailure(error: unknown): error is Error {
  return [SourceRefused, ReturnsServiceError, TokenUnavailable, InvalidTokenError, InvalidBaseUrlError].some(
    (kind) => error instanceof kind,
  );
}
