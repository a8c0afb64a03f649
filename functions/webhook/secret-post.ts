// A webhook's post with what its secrets hold: the keys that sign, the URL if that is a secret, secret headers, and the
// client certificate.
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { parseWebhookUrl } from '../../shared/deployment/webhook-url.ts';
import type { Log } from '../../shared/ports.ts';
import type { Post } from '../../shared/webhooks/webhook-ports.ts';
import { createKeptSecret, type KeptSecret } from '../adapters/kept-secret.ts';
import { createWebhookPost, type WebhookPost } from '../adapters/webhook-post.ts';
import { parseSigningSecret, SigningSecretError } from '../adapters/webhook-signature.ts';
import type { WebhookEnvironment } from './webhook-environment.ts';

export type SecretPostSettings = Pick<
  WebhookEnvironment,
  | 'WEBHOOK_URL'
  | 'WEBHOOK_URL_SECRET'
  | 'SIGNING_SECRET'
  | 'SECRET_HEADERS'
  | 'CLIENT_CERTIFICATE'
  | 'CONTENT_TYPE'
  | 'ADDRESSES'
  | 'REQUEST_TIMEOUT_MS'
>;

export interface SecretPostPorts {
  readonly client: SecretsManagerClient;
  /** Milliseconds that never go back. */
  readonly now: () => number;
  readonly log: Pick<Log, 'warn'>;
}

export function createSecretPost(
  environment: SecretPostSettings,
  { client, now, log }: SecretPostPorts,
): Post {
  const secretOf = (secretId: string) => createKeptSecret({ client, secretId, now });
  const { WEBHOOK_URL, WEBHOOK_URL_SECRET, CLIENT_CERTIFICATE, ADDRESSES: addresses } = environment;
  const signing = secretOf(environment.SIGNING_SECRET);
  const url = WEBHOOK_URL_SECRET === undefined ? undefined : secretOf(WEBHOOK_URL_SECRET);
  const certificate = CLIENT_CERTIFICATE === undefined ? undefined : secretOf(CLIENT_CERTIFICATE);
  const headers = Object.entries(environment.SECRET_HEADERS).map(
    ([name, secretId]) => [name, secretOf(secretId)] as const,
  );
  const all: readonly KeptSecret[] = [
    signing,
    url,
    certificate,
    ...headers.map(([, secret]) => secret),
  ].filter((secret) => secret !== undefined);
  let open:
    | { readonly text: string; readonly pem: string | undefined; readonly post: WebhookPost }
    | undefined;

  const keys = createSigningKeys(signing, log);

  /** The post to the present URL with the present certificate: a secret's may change. */
  async function postTo(text: string, pem: string | undefined): Promise<WebhookPost> {
    if (open?.text === text && open.pem === pem) return open.post;
    open?.post.close();
    const post = createWebhookPost({
      url: parseWebhookUrl(text, addresses),
      contentType: environment.CONTENT_TYPE,
      clientCertificate: pem,
      addresses,
      timeoutMs: environment.REQUEST_TIMEOUT_MS,
      keys,
      headers: async () =>
        Object.fromEntries(
          await Promise.all(headers.map(async ([name, secret]) => [name, await secret.current()] as const)),
        ),
      onUnauthorized: () => {
        for (const secret of all) secret.expire();
      },
    });
    open = { text, pem, post };
    return post;
  }

  return async (request, signal) => {
    let post: WebhookPost;
    try {
      post = await postTo(
        url === undefined ? (WEBHOOK_URL ?? '') : await url.current(),
        await certificate?.current(),
      );
    } catch (error) {
      return {
        failure: `no valid URL or client certificate: ${error instanceof Error ? error.message : 'unknown'}`,
        requestMs: 0,
      };
    }
    return post(request, signal);
  };
}

/**
 * Returns the keys that sign. A wrong value that was corrected is the previous version until the next rotation: it is
 * left out, because only the current version must be able to sign.
 */
function createSigningKeys(secret: KeptSecret, log: Pick<Log, 'warn'>): () => Promise<Buffer[]> {
  let reported: readonly string[] | undefined;
  return async () => {
    const versions = await secret.versions();
    const [current = '', ...previous] = versions;
    const keys = [parseSigningSecret(current)];
    for (const version of previous) {
      try {
        keys.push(parseSigningSecret(version));
      } catch (error) {
        if (!(error instanceof SigningSecretError)) throw error;
        if (reported !== versions)
          log.warn('the previous signing secret does not sign', { reason: error.message });
        reported = versions;
      }
    }
    return keys;
  };
}
