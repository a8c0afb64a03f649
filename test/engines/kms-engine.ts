// KMS on this machine, over the wire: Encrypt and Decrypt with one symmetric key. As in KMS, a text can only be decrypted
// with exactly the encryption context that it was encrypted with: the context is authenticated, not stored.
// https://docs.aws.amazon.com/kms/latest/developerguide/encrypt_context.html
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface KmsEngine {
  readonly endpoint: string;
  /** The ARN of its key. */
  readonly key: string;
  /** Times that it was asked, by operation. */
  readonly asked: Readonly<Record<'Encrypt' | 'Decrypt', number>>;
  stop(): Promise<void>;
}

type Context = Readonly<Record<string, string>>;

interface Body {
  readonly KeyId?: string;
  readonly Plaintext?: string;
  readonly CiphertextBlob?: string;
  readonly EncryptionContext?: Context;
}

class Refusal extends Error {
  override readonly name: string;
  constructor(name: string) {
    super(`${name} of the engine`);
    this.name = name;
  }
}

const ALGORITHM = 'SYMMETRIC_DEFAULT';
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** https://docs.aws.amazon.com/kms/latest/APIReference/API_Encrypt.html */
const LONGEST_PLAINTEXT = 4_096;

const KEY = 'arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab';

/** @param key the ARN of its key */
export async function startKmsEngine(key = KEY): Promise<KmsEngine> {
  const material = randomBytes(32);
  const asked = { Encrypt: 0, Decrypt: 0 };
  const answers: Readonly<Record<string, (body: Body) => object>> = {
    Encrypt({ KeyId, Plaintext = '', EncryptionContext }) {
      if (KeyId !== key) throw new Refusal('NotFoundException');
      const plaintext = Buffer.from(Plaintext, 'base64');
      if (plaintext.length === 0 || plaintext.length > LONGEST_PLAINTEXT)
        throw new Refusal('ValidationException');
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, material, iv).setAAD(authenticated(EncryptionContext));
      const encrypted = Buffer.concat([cipher.update(plaintext), cipher.final()]);
      const blob = Buffer.concat([iv, cipher.getAuthTag(), encrypted]);
      return { CiphertextBlob: blob.toString('base64'), KeyId: key, EncryptionAlgorithm: ALGORITHM };
    },
    Decrypt({ CiphertextBlob = '', EncryptionContext }) {
      try {
        const blob = Buffer.from(CiphertextBlob, 'base64');
        const decipher = createDecipheriv(CIPHER, material, blob.subarray(0, IV_BYTES))
          .setAAD(authenticated(EncryptionContext))
          .setAuthTag(blob.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
        const text = decipher.update(blob.subarray(IV_BYTES + TAG_BYTES));
        const plaintext = Buffer.concat([text, decipher.final()]);
        return { Plaintext: plaintext.toString('base64'), KeyId: key, EncryptionAlgorithm: ALGORITHM };
      } catch {
        throw new Refusal('InvalidCiphertextException');
      }
    },
  };
  const server = createServer(async (request, response) => {
    const operation = String(request.headers['x-amz-target']).replace('TrentService.', '');
    response.setHeader('content-type', 'application/x-amz-json-1.1');
    try {
      const answer = answers[operation];
      if (answer === undefined) throw new Refusal('UnknownOperationException');
      asked[operation as keyof typeof asked] += 1;
      response.end(JSON.stringify(answer((await json(request)) as Body)));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      response.statusCode = 400;
      response.end(JSON.stringify({ __type: error.name, message: error.message }));
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key,
    asked,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** The context as bytes: its order does not matter, its case does. */
function authenticated(context: Context = {}): Buffer {
  return Buffer.from(JSON.stringify(Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1))));
}
