// docs/watch-config.schema.json, by which editors complete and check the file of `watch --config`.
import { join } from 'node:path';
import * as z from 'zod';
import { watchConfigFile } from '../../local/feed/watch-config.ts';

export const WATCH_CONFIG_SCHEMA = join(import.meta.dirname, '../../docs/watch-config.schema.json');

export function renderWatchConfigSchema(): string {
  return `${JSON.stringify(z.toJSONSchema(watchConfigFile, { io: 'input' }), null, 2)}\n`;
}
