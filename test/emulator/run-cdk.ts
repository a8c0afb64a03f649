// Runs the CDK's command line against an emulator. It has none of the user's own AWS configuration, so that it can't
// reach an account.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { devNull } from 'node:os';
import { dirname, join } from 'node:path';

/** The SDK's variables for an emulator, for this process and the CDK's. */
export function environmentFor(endpoint: string): Record<string, string> {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('AWS_'));
  return {
    ...(Object.fromEntries(others) as Record<string, string>),
    AWS_ENDPOINT_URL: endpoint,
    // The CDK gives CloudFormation the URL of a template. Emulators recognise S3's URLs; nothing is sent to this one.
    AWS_ENDPOINT_URL_S3_FOR_CLOUDFORMATION: 'https://s3.us-east-1.amazonaws.com',
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    CDK_DISABLE_CLI_TELEMETRY: 'true',
    NO_COLOR: '1',
  };
}

/**
 * Runs a command of the CDK and prints its output.
 *
 * @returns the output
 * @throws Error if it failed
 */
export async function runCdk(endpoint: string, ...args: readonly string[]): Promise<string> {
  const program = join(dirname(createRequire(import.meta.url).resolve('aws-cdk/package.json')), 'bin', 'cdk');
  console.log(`\n$ cdk ${args.join(' ')}`);
  const child = spawn(process.execPath, [program, ...args, '--no-notices', '--no-color', '--ci'], {
    env: environmentFor(endpoint),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    process.stdout.write(text);
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`cdk ${args[0]} failed.`);
  return said;
}
