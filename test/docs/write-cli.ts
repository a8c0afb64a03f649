// `npm run cli-reference`: writes docs/cli.md and docs/watch-config.schema.json.
import { writeFileSync } from 'node:fs';
import { CLI_PAGE, renderCliPage } from './cli-page.ts';
import { renderWatchConfigSchema, WATCH_CONFIG_SCHEMA } from './watch-config-schema.ts';

writeFileSync(CLI_PAGE, await renderCliPage());
writeFileSync(WATCH_CONFIG_SCHEMA, renderWatchConfigSchema());
