import { readFileSync } from 'node:fs';
import type { App } from 'aws-cdk-lib';
import { findEdges } from './find-edges.ts';
import { type JudgedEdge, judgeEdges } from './judge-edges.ts';
import { type Account, readAccount } from './read-account.ts';
import { type Policies, readPolicies } from './read-policies.ts';
import type { Variant } from './variants.ts';

const { context } = JSON.parse(readFileSync(new URL('../../../cdk.json', import.meta.url), 'utf8'));

/** The CDK context of the app: no bundling, and the paths of constructs in the metadata of resources. */
export const CONTEXT: Readonly<Record<string, unknown>> = {
  ...context,
  'aws:cdk:bundling-stacks': [],
  'aws:cdk:enable-path-metadata': true,
};

export interface JudgedVariant {
  readonly account: Account;
  readonly edges: readonly JudgedEdge[];
  readonly policies: Policies;
}

/**
 * @param app an app with the context {@link CONTEXT}
 * @throws Error if the app can't be synthesized, or has an edge of an unknown kind
 */
export function judgeVariant(app: App, { build, given }: Variant): JudgedVariant {
  build(app);
  const account = readAccount(app.synth());
  const policies = readPolicies(account, given?.(account));
  return { account, edges: judgeEdges(findEdges(account), policies), policies };
}
