// npx tsx test/infra/edges/print-edges.ts [variant]: prints the calls between services, and the statements that allow them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { findSpare } from './judge-edges.ts';
import { CONTEXT, type JudgedVariant, judgeVariant } from './judge-variant.ts';
import type { OwnedStatement } from './read-policies.ts';
import { purposeOf } from './spare-statements.ts';
import { VARIANTS } from './variants.ts';

function print(variant: JudgedVariant): void {
  const { edges, policies } = variant;
  for (const { kind, from, to, reason, refused, statements } of edges) {
    console.log(`${from} → ${to}  (${kind})`);
    if (reason !== undefined) console.log(`    no permission needed: ${reason}`);
    for (const statement of statements) console.log(`    ${inWords(statement)}`);
    for (const { action, resource } of refused) console.log(`    REFUSED ${action} on ${resource}`);
  }
  const spare = findSpare(edges, policies);
  console.log(
    `\n${edges.length} edges; ${policies.statements.length - spare.length} statements are needed for them.`,
  );
  console.log(`${spare.length} are not needed:`);
  for (const it of spare) console.log(`    ${inWords(it)}  (${purposeOf(it) ?? 'WITHOUT A PURPOSE'})`);
}

function inWords({ name, Effect, Action }: OwnedStatement): string {
  const actions = typeof Action === 'string' ? [Action] : Action;
  return `${Effect === 'Deny' ? 'denied' : 'allowed'} by ${name}: ${actions.join(', ')}`;
}

const [name = 'the production stage'] = process.argv.slice(2);
const variant = VARIANTS[name];
const outdir = mkdtempSync(join(tmpdir(), 'returns-feed-edges-'));
try {
  if (variant === undefined)
    throw new Error(`There is no variant "${name}": name one of "${Object.keys(VARIANTS).join('", "')}".`);
  print(judgeVariant(new App({ outdir, context: CONTEXT }), variant));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(outdir, { recursive: true });
}
