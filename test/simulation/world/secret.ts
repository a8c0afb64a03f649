// The secret that a source's processes read: for some time deleted, or without a token.
import { SimulatedFailure } from '../../simulation-frame/mortal-process.ts';
import { isDuring } from './network.ts';
import type { World } from './world.ts';

/** The secret store's error for a missing secret. */
export class SecretGone extends SimulatedFailure {}

/** @throws SecretGone */
export function readSecret({ plan, time, fates, trace, access }: World): string {
  const { secret } = plan;
  const { token } = access();
  if (secret === undefined || fates.isCalm() || !isDuring(secret, time.elapsed())) return token;
  trace.count(`secret ${secret.kind}`);
  if (secret.kind === 'malformed') return `${token}\n${token}`;
  throw new SecretGone("Secrets Manager can't find the specified secret.");
}

/** Whether a tick failed because its secret held no token. */
export function isForLackOfToken(error: unknown): boolean {
  if (error instanceof SecretGone) return true;
  if (!(error instanceof Error)) return false;
  return error.name === 'InvalidTokenError' || (error.cause !== undefined && isForLackOfToken(error.cause));
}
