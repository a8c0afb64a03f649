// An endpoint that asks for a client certificate, over TLS.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Answer } from '../../../shared/webhooks/webhook-ports.ts';
import { runCommand } from '../../package/run-command.ts';
import { closeAll, listen } from './listeners.ts';
import { SELF_SIGNED_CERTIFICATE, SELF_SIGNED_KEY } from './self-signed-certificate.ts';
import { open } from './webhook-post-under-test.ts';

const folder = mkdtempSync(join(tmpdir(), 'client-certificate-'));
const program = join(folder, 'post-event.mjs');
const authority = join(folder, 'authority.pem');
const certificate = join(folder, 'certificate.pem');

beforeAll(async () => {
  writeFileSync(authority, SELF_SIGNED_CERTIFICATE);
  writeFileSync(certificate, `${SELF_SIGNED_CERTIFICATE}\n${SELF_SIGNED_KEY}\n`);
  await build({
    entryPoints: [join(import.meta.dirname, 'programs/post-event.ts')],
    ...{ outfile: program, bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' },
  });
});
afterEach(closeAll);
afterAll(() => rmSync(folder, { recursive: true }));

/** An endpoint that only knows clients with a certificate of its authority. @returns its URL, and the clients' names */
async function startEndpoint() {
  const clients: string[] = [];
  const tls = { key: SELF_SIGNED_KEY, cert: SELF_SIGNED_CERTIFICATE, ca: SELF_SIGNED_CERTIFICATE };
  const server = createServer(
    { ...tls, requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      clients.push(String((request.socket as TLSSocket).getPeerCertificate().subject.CN));
      request.resume().on('end', () => response.writeHead(204).end());
    },
  );
  const url = new URL(await listen(server, 'https'));
  url.hostname = 'localhost';
  return { url: url.href, clients };
}

async function postTo(url: string, ...certificates: string[]): Promise<Answer> {
  const { stdout } = await runCommand(process.execPath, [program, url, ...certificates], {
    cwd: folder,
    env: { NODE_EXTRA_CA_CERTS: authority },
  });
  return JSON.parse(stdout);
}

it('accepts an event from a sender that has one', async () => {
  const { url, clients } = await startEndpoint();

  expect(await postTo(url, certificate)).toMatchObject({ status: 204 });
  expect(clients).toEqual(['localhost']);
});

it('accepts nothing from a sender without one', async () => {
  const { url, clients } = await startEndpoint();

  expect(await postTo(url)).toMatchObject({ failure: expect.stringMatching(/^E/) });
  expect(clients).toEqual([]);
});

it.each([
  ['no PEM', 'nonsense'],
  ['no private key', SELF_SIGNED_CERTIFICATE],
  ['no certificate', SELF_SIGNED_KEY],
])('is not asked with %s, and the error does not show the secret', (_, clientCertificate) => {
  expect(() => open('https://localhost/hook', { clientCertificate })).toThrow(
    /^The client certificate is invalid \(ERR_\w+\): it must be PEM, with the certificate and its private key\.$/,
  );
});
