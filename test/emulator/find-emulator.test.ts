import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { findEmulator } from './find-emulator.ts';

test.each([
  ['nothing is named', undefined, /^Name an AWS emulator in AWS_ENDPOINT_URL, .*$/],
  ['nothing answers', 'http://127.0.0.1:9', /^No AWS emulator answers at http:\/\/127\.0\.0\.1:9: .*$/],
  ['what is named is no address', 'moto', /^AWS_ENDPOINT_URL is not an address: moto$/],
  ['it is AWS', 'https://sqs.eu-west-1.amazonaws.com', /is AWS itself, not an emulator: nothing was done\.$/],
])('reports the remedy in one line when %s', async (_, address, line) => {
  await expect(findEmulator(address)).rejects.toThrow(line);
});

test('finds an emulator, uses its IP address, and recognises moto by its own pages', async () => {
  const server = createServer((request, response) =>
    response.writeHead(request.url === '/moto-api/' ? 200 : 404).end(),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };

  const found = await findEmulator(`http://localhost:${port}`);

  server.close();
  expect(found).toEqual({ endpoint: `http://127.0.0.1:${port}`, isMoto: true });
});
