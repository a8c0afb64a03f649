// Ctrl-C ends a command cleanly; a second one ends it at once. npm and npx hand on what the terminal has sent to all
// of them, so two signals that come together are one. And where npm or its shell was ended alone, which tells us
// nothing, the command must not live on unseen.

export interface Interrupts {
  readonly signal: AbortSignal;
  /** Lets the signals mean again what they mean without us. */
  release(): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** Nobody presses Ctrl-C twice as fast. */
const TOGETHER_MS = 300;
const LOOK_FOR_PARENT_EVERY_MS = 500;

export function listenForInterrupts(): Interrupts {
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
  const stopLooking = runsUnderNpm() ? watchParent(() => controller.abort()) : () => {};
  return {
    signal: controller.signal,
    release() {
      stopLooking();
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}

function runsUnderNpm(): boolean {
  return process.env.npm_lifecycle_event !== undefined;
}

/** @returns ends it */
function watchParent(onGone: () => void): () => void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) onGone();
  }, LOOK_FOR_PARENT_EVERY_MS).unref();
  return () => clearInterval(timer);
}
