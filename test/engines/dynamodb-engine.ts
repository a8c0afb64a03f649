// DynamoDB on this machine, with transactions and streams: a native engine, in memory. `npm ci` installs the one
// whose digest is in the lock file; on another platform the error names the package to install.
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { EngineError } from './engine-error.ts';
import { startEngineProcess } from './engine-process.ts';

const { optionalDependencies } = createRequire(import.meta.url)('./package.json') as {
  readonly optionalDependencies: Readonly<Record<string, string>>;
};
/** The same for each platform. */
const VERSION = optionalDependencies['@dynoxide/linux-x64'];

/** A port found free may be taken by another process before the engine binds it. */
const PORT_ATTEMPTS = 5;

export interface DynamoDbEngine {
  /** Serves DynamoDB and DynamoDB Streams. */
  readonly endpoint: string;
  /** Resolves when the engine has ended, at a stop or by itself. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

export interface DynamoDbEngineOptions {
  /** The engine's platform, as npm's packages name it. @default this one */
  readonly platform?: string;
}

/**
 * Starts the engine on a free port of the loopback address.
 *
 * @throws EngineError when there is no engine for this platform, or it does not start.
 */
export async function startDynamoDbEngine({
  platform = `${process.platform}-${process.arch}`,
}: DynamoDbEngineOptions = {}): Promise<DynamoDbEngine> {
  const program = findProgram(platform);
  for (let attempt = 1; ; attempt++) {
    // The engine does not report the port that it gets for port 0.
    const port = await findFreePort();
    const engine = startEngineProcess(program, ['serve', '--host', '127.0.0.1', '--port', String(port)]);
    const endpoint = `http://127.0.0.1:${port}`;
    // Check its own output first: an answer could come from another process that took the port.
    if ((await engine.said(/listening on/i)) && (await answers(endpoint))) {
      return { endpoint, ended: engine.ended, stop: engine.stop };
    }
    await engine.stop();
    if (attempt === PORT_ATTEMPTS || !/already in use/i.test(engine.stderr())) {
      throw new EngineError(
        `The DynamoDB engine did not start: ${engine.stderr() || 'it printed no reason'}`,
      );
    }
  }
}

function findProgram(platform: string): string {
  const name = `@dynoxide/${platform}`;
  const program = platform.startsWith('win32') ? 'dynoxide.exe' : 'dynoxide';
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), program);
  } catch (cause) {
    throw new EngineError(
      `The DynamoDB engine for this platform is not installed. Install it with "npm install --no-save ${name}@${VERSION}", ` +
        'or run DynamoDB Local or LocalStack and set AWS_ENDPOINT_URL_DYNAMODB to its address, for example ' +
        'http://127.0.0.1:8000.',
      { cause },
    );
  }
}

async function answers(endpoint: string): Promise<boolean> {
  try {
    const [response] = (await once(get(endpoint, { agent: false }), 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode === 200;
  } catch {
    return false;
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await once(server.close(), 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
