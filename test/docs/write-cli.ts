// `npm run cli-reference`: writes docs/cli.md.
import { writeFileSync } from 'node:fs';
import { CLI_PAGE, renderCliPage } from './cli-page.ts';

writeFileSync(CLI_PAGE, await renderCliPage());
