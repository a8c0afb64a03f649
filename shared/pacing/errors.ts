// Why a request was not made, or its answer not waited for. What the service answered is the cause, where there is
// one; see returns-service/errors.ts for the rest.

/** Thrown when the next step would come after the deadline, or the caller asked to stop: left to the next tick. */
export class DeadlineReached extends Error {
  override readonly name = 'DeadlineReached';
}

/** Thrown when the service refuses the token that the secret holds: the source is to rest, see rest.ts. */
export class SourceRefused extends Error {
  override readonly name = 'SourceRefused';
}

/** Thrown when the store of the budget is too contended or too slow to book anything in it. */
export class BudgetUnavailable extends Error {
  override readonly name = 'BudgetUnavailable';
}

/** Thrown when the secret that should hold the source's token is gone or can't be read; the cause says why. */
export class TokenUnavailable extends Error {
  override readonly name = 'TokenUnavailable';
}
