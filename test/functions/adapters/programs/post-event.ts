// Posts one event to argv[2], with the client certificate in the file argv[3] if there is one. Prints the answer. A process
// of its own, because Node reads the authorities that it trusts besides its own when it starts.
import { readFileSync } from 'node:fs';
import { createWebhookPost } from '../../../../functions/adapters/webhook-post.ts';

const [, , url = '', file] = process.argv;
const post = createWebhookPost({
  url: new URL(url),
  keys: async () => [Buffer.alloc(32)],
  clientCertificate: file === undefined ? undefined : readFileSync(file, 'utf8'),
  addresses: 'any',
  timeoutMs: 5_000,
});
process.stdout.write(JSON.stringify(await post({ id: 'acme_mi8x2k_1_2', body: '{}' })));
post.close();
