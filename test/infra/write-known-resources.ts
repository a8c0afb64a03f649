// Writes the stages in test/infra/golden from their templates. Without `--replace`, rejects a change that would lose
// events of a running deployment, or fail to deploy.
import { readFileSync, writeFileSync } from 'node:fs';
import { STAGES } from '../../infra/stages.ts';
import { removeAppDirectories } from './app-directories.ts';
import { formatKnownResources, harmOfUpdate, knownResources, synthesizeStage } from './known-resources.ts';
import { newApp } from './new-app.ts';

const golden = (name: string) => new URL(`golden/${name}.json`, import.meta.url);
const replace = process.argv.includes('--replace');
try {
  for (const [name, stage] of Object.entries(STAGES)) {
    const known = knownResources(synthesizeStage(stage, newApp({ 'aws:cdk:bundling-stacks': [] })));
    const harm = replace ? [] : harmOfUpdate(JSON.parse(readFileSync(golden(name), 'utf8')), known);
    if (harm.length > 0) {
      process.exitCode = 1;
      console.error(
        `golden/${name}.json is unchanged, because an update would do harm:\n${harm.map((it) => `- ${it}`).join('\n')}`,
      );
    } else writeFileSync(golden(name), formatKnownResources(known));
  }
} finally {
  removeAppDirectories();
}
