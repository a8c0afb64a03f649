// Writes test/infra/golden from the templates of the stages. Without `--replace`, rejects a change that would lose events
// of a running deployment, or fail to deploy.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { STAGES } from '../../infra/stages.ts';
import { formatKnownResources, harmOfUpdate, knownResources, synthesizeStage } from './known-resources.ts';

const { context } = JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8'));
const outdir = mkdtempSync(join(tmpdir(), 'returns-feed-known-'));
const replace = process.argv.includes('--replace');
try {
  for (const [name, stage] of Object.entries(STAGES)) {
    const file = new URL(`golden/${name}.json`, import.meta.url);
    const app = new App({
      outdir: join(outdir, name),
      context: { ...context, 'aws:cdk:bundling-stacks': [] },
    });
    const known = knownResources(synthesizeStage(stage, app));
    const harm = replace ? [] : harmOfUpdate(JSON.parse(readFileSync(file, 'utf8')), known);
    if (harm.length > 0) {
      process.exitCode = 1;
      console.error(
        `golden/${name}.json is unchanged, because an update would do harm:\n${harm.map((it) => `- ${it}`).join('\n')}`,
      );
    } else writeFileSync(file, formatKnownResources(known));
  }
} finally {
  rmSync(outdir, { recursive: true });
}
