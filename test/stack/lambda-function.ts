// Runs a function of the template like Lambda: its own bundle, found by the handler setting, with only the template's
// variables in its environment.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

export interface LambdaFunction {
  readonly name: string;
  /** The events of its invocations, oldest first. */
  readonly events: readonly unknown[];
  /** Pairs of events that were handled at the same time. */
  readonly overlaps: readonly (readonly [unknown, unknown])[];
  /** The lines of its log. */
  readonly lines: readonly string[];
  /**
   * Runs any number of invocations at once, each in its own environment; rejects with the handler's error.
   *
   * @param alias the alias of the invocation, if any
   */
  invoke(event: unknown, alias?: string): Promise<unknown>;
  stop(): Promise<void>;
}

export interface FunctionOptions {
  readonly name: string;
  readonly codeDirectory: string;
  /** The handler setting: `<file>.<export>`. */
  readonly handler: string;
  readonly timeoutMs: number;
  /** How far its clock is ahead, in milliseconds; shared with the deployment, which moves it. */
  readonly ahead: Float64Array;
  readonly variables: Readonly<Record<string, string>>;
  /** The address of the AWS endpoint. */
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
}

interface Answer {
  readonly id: string;
  readonly response?: unknown;
  readonly error?: string;
}

export function startFunction(options: FunctionOptions): LambdaFunction {
  const { name, timeoutMs } = options;
  const events: unknown[] = [];
  const overlaps: [unknown, unknown][] = [];
  const underWay = new Set<unknown>();
  const lines: string[] = [];
  const waiting = new Map<string, (answer: Answer) => void>();
  const workers: Worker[] = [];
  const busy = new Set<Worker>();

  function start(): Worker {
    const [module = '', exportName = ''] = options.handler.split(/\.(?=[^.]+$)/);
    const started = new Worker(new URL('lambda-runtime.mjs', import.meta.url), {
      workerData: {
        file: fileOf(options.codeDirectory, module),
        ...{ exportName, functionName: name, timeoutMs, ahead: options.ahead },
      },
      env: environmentOf(options),
      stdout: true,
      stderr: true,
    });
    started.on('message', (answer: Answer) => waiting.get(answer.id)?.(answer));
    started.on('error', ({ message }) => {
      for (const [id, settle] of waiting) settle({ id, error: message });
    });
    for (const input of [started.stdout, started.stderr])
      createInterface({ input }).on('line', (line) => lines.push(line));
    return started;
  }

  /** Returns an idle process. Starts a new one if all are busy. */
  function takeWorker(): Worker {
    let taken = workers.find((it) => !busy.has(it));
    if (taken === undefined) {
      taken = start();
      workers.push(taken);
    }
    busy.add(taken);
    return taken;
  }

  async function invoke(event: unknown, alias?: string): Promise<unknown> {
    const worker = takeWorker();
    const id = randomUUID();
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    events.push(event);
    for (const other of underWay) overlaps.push([other, event]);
    underWay.add(event);
    worker.postMessage({ id, event, alias: alias === undefined ? [] : [alias] });
    const { response, error } = await answered;
    waiting.delete(id);
    busy.delete(worker);
    underWay.delete(event);
    if (error !== undefined) throw new Error(`${name} failed: ${error}`);
    return response;
  }

  return {
    name,
    events,
    overlaps,
    lines,
    invoke,
    async stop() {
      for (const [id, settle] of waiting) settle({ id, error: 'the function was stopped' });
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

/** Writes the template's inline code to a file, like Lambda. */
export function writeInlineCode(directory: string, code: string): string {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'index.js'), code);
  return directory;
}

/** Finds the file of a module, with Lambda's order of extensions. */
function fileOf(directory: string, module: string): string {
  const files = ['.js', '.mjs', '.cjs'].map((extension) => join(directory, module + extension));
  const file = files.find((it) => existsSync(it));
  if (file === undefined) throw new Error(`There is no module ${module} in ${directory}.`);
  return pathToFileURL(file).href;
}

function environmentOf({ name, variables, endpoint, region, accessKeyId }: FunctionOptions) {
  return {
    ...variables,
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_REGION: region,
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
  };
}
