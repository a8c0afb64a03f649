// Ctrl-C ends a command cleanly; a second one ends it at once.

export interface Interrupts {
  readonly signal: AbortSignal;
  /** Lets the signals mean again what they mean without us. */
  release(): void;
}

export function listenForInterrupts(): Interrupts {
  const controller = new AbortController();
  const onSignal = () => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    signal: controller.signal,
    release() {
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
