// Which secrets sign the webhooks that a receiver accepts. A malformed secret throws at once: otherwise the receiver
// would reject every event without a reason.
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

type SecretTexts = string | readonly string[];

/**
 * A secret, or several, each of which may sign: base64 of at least 24 bytes, with or without `whsec_`. A function is called for each request,
 * so that a rotated secret needs no restart; it should cache what it fetches.
 */
export type WebhookSecrets = SecretTexts | (() => SecretTexts | Promise<SecretTexts>);

/** @returns what is wrong with the signature; undefined if it is right */
export type SignatureCheck = (headers: Headers, body: string) => Promise<string | undefined>;

/** @throws Error for a malformed secret; with a function of secrets, the check throws it */
export function createSignatureCheck(secrets: WebhookSecrets): SignatureCheck {
  const current = typeof secrets === 'function' ? secrets : parseSecrets(secrets);
  return async (headers, body) => {
    const verifiers = typeof current === 'function' ? parseSecrets(await current()) : current;
    const fields = Object.fromEntries(headers);
    const faults = verifiers.map((verifier) => faultOf(verifier, fields, body));
    return faults.includes(undefined) ? undefined : faults.at(-1);
  };
}

function faultOf(verifier: Webhook, headers: Record<string, string>, body: string): string | undefined {
  try {
    verifier.verify(body, headers, { jsonParse: false });
    return undefined;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.message;
    throw error;
  }
}

function parseSecrets(texts: SecretTexts): readonly Webhook[] {
  const list: readonly unknown[] = Array.isArray(texts) ? texts : [texts];
  if (list.length === 0) throw new Error(`\`secrets\` must hold at least one secret. ${REMEDY}`);
  return list.map((text, index) => {
    const fault = faultOfSecret(text);
    if (fault !== undefined) throw new Error(`\`secrets\`: secret ${index + 1} ${fault}. ${REMEDY}`);
    return new Webhook(String(text));
  });
}

const REMEDY = '`npx --no returns-feed webhooks secret` prints the secret of an endpoint: give it unchanged.';
/** A shorter one can be guessed. https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
const FEWEST_BYTES = 24;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Describes the fault of a secret, without its text. */
function faultOfSecret(text: unknown): string | undefined {
  if (typeof text !== 'string') return `is not a text (${typeof text}); is its environment variable set?`;
  const encoded = text.startsWith('whsec_') ? text.slice('whsec_'.length) : text;
  if (encoded === '') return 'is empty; is its environment variable set?';
  if (encoded !== encoded.trim()) return 'has white space around it';
  if (encoded.startsWith('{')) return 'is JSON; give the text in it';
  if (!BASE64.test(encoded)) return 'is not base64';
  const bytes = atob(encoded).length;
  if (bytes < FEWEST_BYTES) return `has ${bytes} bytes; Standard Webhooks asks for at least ${FEWEST_BYTES}`;
  return undefined;
}
