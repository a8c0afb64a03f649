// The tokens of the stack's sources. Names with the feed's prefix and the host of the address need nothing more: the poller
// may read them, and sends them nowhere else. For each other name the poller has a statement, and is told the address: a
// role's policies, and a function's environment, have room for a few.
import { Token } from 'aws-cdk-lib';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import { isTokenFor, type NamedToken, tokenNamesFor } from '../shared/deployment/token-names.ts';
import { allow, allowKey, allowSecret } from './allow.ts';
import { isSecret, type SourceProps, tokenOf } from './source-props.ts';

/** Tokens with names of their own: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html */
export const MOST_OWN_NAMES = 10;

export function placeOf({ token }: Pick<SourceProps, 'token'>): NamedToken {
  return isSecret(token)
    ? { secretId: token.secretFullArn ?? token.secretName }
    : { parameter: token.parameterName };
}

/** The sources whose tokens have names of their own. A name or an address that only the deployment knows counts as one. */
export function withOwnNames(sources: readonly SourceProps[], feed: string): SourceProps[] {
  return sources.filter(
    (source) =>
      Token.isUnresolved(source.baseUrl) ||
      !URL.canParse(source.baseUrl) ||
      !isTokenFor(tokenNamesFor(feed, source.baseUrl), placeOf(source)),
  );
}

/** For the poller's environment: where tokens with names of their own may be sent. */
export function addressesOf(sources: readonly SourceProps[]) {
  const pairs = sources.map((source) => ({ token: placeOf(source), baseUrl: source.baseUrl }));
  return [...new Map(pairs.map((pair) => [JSON.stringify(pair), pair])).values()];
}

/** Allows reading the sources' tokens with names of their own, and decrypting any that a customer managed key encrypts. */
export function allowTokens(role: iam.IRole, sources: readonly SourceProps[], feed: string): void {
  const own = new Set(withOwnNames(sources, feed).map(tokenOf));
  for (const [name, { token }] of new Map(sources.map((source) => [tokenOf(source), source]))) {
    const key = 'encryptionKey' in token ? (token.encryptionKey as kms.IKey | undefined) : undefined;
    if (!own.has(name)) allowKey(role, key, isSecret(token) ? 'secretsmanager' : 'ssm', ['kms:Decrypt']);
    else if (isSecret(token)) allowSecret(role, token);
    else {
      allow(role, ['ssm:GetParameter'], token.parameterArn);
      // As for secrets, only a customer managed key needs a permission.
      allowKey(role, key, 'ssm', ['kms:Decrypt']);
    }
  }
}
