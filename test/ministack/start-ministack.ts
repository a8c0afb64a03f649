// MiniStack as a process group of its own, on a free port of the loopback address, with TLS and with IAM's policies
// enforced.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { devNull } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Installed } from './install.ts';

const PROGRAM = fileURLToPath(new URL('start-ministack.py', import.meta.url));
const LONGEST_START_MS = 30_000;

export interface MiniStack {
  /** For processes that use it: the address, the certificate, and the account's own credentials. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log: string;
  /** Ends it with all its functions. */
  kill(): void;
}

export async function startMiniStack(directory: string, { python }: Installed): Promise<MiniStack> {
  const port = await freePort();
  const log = join(directory, 'ministack.log');
  const output = openSync(log, 'a');
  const child = spawn(python, [PROGRAM], {
    cwd: directory,
    // A process group of its own. MiniStack ignores SIGTERM once it has run a function.
    detached: true,
    stdio: ['ignore', output, output],
    env: {
      // Lambda's workers run on this Node.
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      HOME: directory,
      TMPDIR: directory,
      BIND_HOST: '127.0.0.1',
      MINISTACK_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      ...{ AUTH: 'true', USE_SSL: '1', IOT_MTLS_ENABLED: '0', SFTP_ENABLED: '0' },
    },
  });
  const certificate = join(directory, 'ministack-tls', 'server.crt');
  const environment = {
    ...withoutAws(process.env),
    AWS_ENDPOINT_URL: `https://127.0.0.1:${port}`,
    // The CDK gives CloudFormation the URL of a template. MiniStack recognises S3's URLs; nothing is sent to this one.
    AWS_ENDPOINT_URL_S3_FOR_CLOUDFORMATION: 'https://s3.us-east-1.amazonaws.com',
    ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
    ...{ AWS_CONFIG_FILE: devNull, AWS_SHARED_CREDENTIALS_FILE: devNull, AWS_EC2_METADATA_DISABLED: 'true' },
    ...{ NODE_EXTRA_CA_CERTS: certificate, AWS_CA_BUNDLE: certificate },
    CDK_DISABLE_CLI_TELEMETRY: 'true',
    MINISTACK_PID: String(child.pid),
  };
  const kill = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  await untilReady(port, child, log).catch((error: unknown) => {
    kill();
    throw error;
  });
  return { environment, log, kill };
}

async function untilReady(port: number, child: ChildProcess, log: string): Promise<void> {
  const deadline = Date.now() + LONGEST_START_MS;
  while (!(await isReady(port))) {
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(`MiniStack did not start:\n${readFileSync(log, 'utf8').slice(-2_000)}`);
    await setTimeout(100);
  }
}

/** Ready means that it accepts connections: it listens once its services are loaded. */
async function isReady(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Without the user's own configuration of AWS, so that nothing can reach an account. */
function withoutAws(environment: NodeJS.ProcessEnv): Record<string, string> {
  const others = Object.entries(environment).filter(([name]) => !name.startsWith('AWS_'));
  return Object.fromEntries(others) as Record<string, string>;
}
