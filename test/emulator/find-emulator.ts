const EXAMPLE = "for example with pip install 'moto[server]' && moto_server -p 5000";

export interface Emulator {
  readonly endpoint: string;
  readonly isMoto: boolean;
}

/**
 * Finds the emulator at an address.
 *
 * @throws Error with one line that includes the remedy
 */
export async function findEmulator(address: string | undefined): Promise<Emulator> {
  if (!address)
    throw new Error(
      `Name an AWS emulator in AWS_ENDPOINT_URL, for instance http://127.0.0.1:5000. Start one, ${EXAMPLE}`,
    );
  if (!URL.canParse(address)) throw new Error(`AWS_ENDPOINT_URL is not an address: ${address}`);
  const url = new URL(address);
  if (/\.(amazonaws\.com|amazonaws\.com\.cn|api\.aws)$/.test(url.hostname))
    throw new Error(`${url.host} is AWS itself, not an emulator: nothing was done.`);
  // With a host name S3 clients would prepend the bucket to it.
  if (url.hostname === 'localhost') url.hostname = '127.0.0.1';
  if ((await statusOf(url.origin)) === undefined)
    throw new Error(`No AWS emulator answers at ${url.origin}: start one, ${EXAMPLE}`);
  return { endpoint: url.origin, isMoto: (await statusOf(`${url.origin}/moto-api/`)) === 200 };
}

async function statusOf(url: string): Promise<number | undefined> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    return answer.status;
  } catch {
    return undefined;
  }
}
