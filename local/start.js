// `npm start`: the command `start` of the sources as they are now.
import { buildIfChanged } from './build.js';

try {
  await buildIfChanged();
} catch (error) {
  process.stderr.write(`error: The sources have changed, and can't be built: ${error.message}\n`);
  process.exit(1);
}
process.argv.splice(2, 0, 'start');
await import('./cli/returns-feed.js');
