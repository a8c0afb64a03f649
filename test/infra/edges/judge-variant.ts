import { newApp } from '../new-app.ts';
import type { Template } from '../template.ts';
import { findEdges } from './find-edges.ts';
import { type JudgedEdge, judgeEdges } from './judge-edges.ts';
import { type Account, readAccount } from './read-account.ts';
import { type Policies, readPolicies } from './read-policies.ts';
import { VARIANTS, type Variant } from './variants.ts';

/** The CDK context of the app: no bundling, and the paths of constructs in the metadata of resources. */
export const CONTEXT: Readonly<Record<string, unknown>> = {
  'aws:cdk:bundling-stacks': [],
  'aws:cdk:enable-path-metadata': true,
};

export interface JudgedVariant {
  readonly account: Account;
  readonly edges: readonly JudgedEdge[];
  readonly policies: Policies;
}

/** The template of the variant's stack Shop. */
export function templateOfVariant(name: string): Template {
  const app = newApp(CONTEXT);
  VARIANTS[name]?.build(app);
  return app.synth().getStackByName('Shop').template;
}

/** @throws Error if the app can't be synthesized, or has an edge of an unknown kind */
export function judgeVariant({ build, given }: Variant): JudgedVariant {
  const app = newApp(CONTEXT);
  build(app);
  const account = readAccount(app.synth());
  const policies = readPolicies(account, given?.(account));
  return { account, edges: judgeEdges(findEdges(account), policies), policies };
}
