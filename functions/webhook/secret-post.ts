// A webhook's post with what its secrets hold: the keys that sign, the URL if that is a secret, and secret headers.
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { parseWebhookUrl } from '../../shared/deployment/webhook-url.ts';
import type { Post } from '../../shared/webhooks/webhook-ports.ts';
import { createKeptSecret, type KeptSecret } from '../adapters/kept-secret.ts';
import { createWebhookPost, type WebhookPost } from '../adapters/webhook-post.ts';
import { parseSigningSecret } from '../adapters/webhook-signature.ts';
import type { WebhookEnvironment } from './webhook-environment.ts';

export type SecretPostSettings = Pick<
  WebhookEnvironment,
  | 'WEBHOOK_URL'
  | 'WEBHOOK_URL_SECRET'
  | 'SIGNING_SECRET'
  | 'SECRET_HEADERS'
  | 'ADDRESSES'
  | 'REQUEST_TIMEOUT_MS'
>;

/** @param now milliseconds that never go back */
export function createSecretPost(
  environment: SecretPostSettings,
  client: SecretsManagerClient,
  now: () => number,
): Post {
  const secretOf = (secretId: string) => createKeptSecret({ client, secretId, now });
  const {
    WEBHOOK_URL,
    WEBHOOK_URL_SECRET,
    SIGNING_SECRET,
    SECRET_HEADERS,
    ADDRESSES: addresses,
  } = environment;
  const signing = secretOf(SIGNING_SECRET);
  const url = WEBHOOK_URL_SECRET === undefined ? undefined : secretOf(WEBHOOK_URL_SECRET);
  const headers = Object.entries(SECRET_HEADERS).map(
    ([name, secretId]) => [name, secretOf(secretId)] as const,
  );
  const all: readonly KeptSecret[] = [signing, ...(url ? [url] : []), ...headers.map(([, secret]) => secret)];
  let open: { readonly text: string; readonly post: WebhookPost } | undefined;

  /** The post to the present URL: a secret's may change. */
  async function postTo(text: string): Promise<WebhookPost> {
    if (open?.text === text) return open.post;
    open?.post.close();
    const post = createWebhookPost({
      url: parseWebhookUrl(text, addresses),
      addresses,
      timeoutMs: environment.REQUEST_TIMEOUT_MS,
      keys: async () => (await signing.versions()).map(parseSigningSecret),
      headers: async () =>
        Object.fromEntries(
          await Promise.all(headers.map(async ([name, secret]) => [name, await secret.current()] as const)),
        ),
      onUnauthorized: () => {
        for (const secret of all) secret.expire();
      },
    });
    open = { text, post };
    return post;
  }

  return async (request) => {
    let post: WebhookPost;
    try {
      post = await postTo(url === undefined ? (WEBHOOK_URL ?? '') : await url.current());
    } catch (error) {
      return { failure: `no valid URL: ${error instanceof Error ? error.message : 'unknown'}`, requestMs: 0 };
    }
    return post(request);
  };
}
