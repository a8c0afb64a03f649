// Opens a feed as commands do, and keeps it open until `close`.
import { type OpenFeed, withFeed } from '../../local/operating/open-feed.ts';

export interface HeldFeed {
  readonly open: OpenFeed;
  close(): Promise<void>;
}

/** @param endpoint the endpoint of the tables */
export async function holdFeed(data: string, endpoint: string): Promise<HeldFeed> {
  const ending = new AbortController();
  const ended = new Promise((resolve) => ending.signal.addEventListener('abort', resolve));
  const before = nameEngine({ AWS_ENDPOINT_URL_DYNAMODB: endpoint, ...CREDENTIALS });
  try {
    return await new Promise<HeldFeed>((resolve, reject) => {
      const whole = withFeed({ data }, async (open) => {
        // The SDK reads the environment at its first request.
        await open.sources(undefined);
        const close = () => {
          ending.abort();
          return whole;
        };
        resolve({ open, close });
        await ended;
      });
      whole.catch(reject);
    });
  } finally {
    nameEngine(before);
  }
}

type Variables = Readonly<Record<string, string | undefined>>;

const CREDENTIALS = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };

/** Sets environment variables. @returns the previous values */
function nameEngine(variables: Variables): Variables {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  return Object.fromEntries(before);
}
