// Ctrl-C ends a command cleanly; a second one ends it at once. npm and npx forward the signal that the terminal has
// already sent to every process, so two signals in quick succession count as one. If only npm or its shell is killed,
// the command gets no signal: it watches its parent, so that it does not run on unnoticed.

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** Nobody presses Ctrl-C twice within this time. */
const TOGETHER_MS = 300;
const PARENT_CHECK_MS = 500;

/** Runs work that ends with its signal; then the signals have their default handling again. */
export async function withInterrupts<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  let interruptedAt = 0;
  const onSignal = () => {
    if (!controller.signal.aborted) {
      interruptedAt = performance.now();
      controller.abort();
    } else if (performance.now() - interruptedAt > TOGETHER_MS) {
      process.exit(130);
    }
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  const stopWatching = runsUnderNpm() ? watchParent(() => controller.abort()) : () => {};
  try {
    return await work(controller.signal);
  } finally {
    stopWatching();
    for (const name of SIGNALS) process.off(name, onSignal);
  }
}

function runsUnderNpm(): boolean {
  return process.env.npm_lifecycle_event !== undefined;
}

/** @returns a function that stops watching */
function watchParent(onGone: () => void): () => void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) onGone();
  }, PARENT_CHECK_MS).unref();
  return () => clearInterval(timer);
}
