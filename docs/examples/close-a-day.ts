import { createQueueSubscriber, isReadUpTo, readingOf } from 'returns-change-feed/subscriber-kit';

/**
 * Starts the job that closes every day before one, like `2026-11-21`. Reports come every minute: let it start each name
 * once, for instance as an execution of a state machine with that name.
 */
type StartJob = (name: string) => Promise<void>;

export const closeDays = (start: StartJob) =>
  createQueueSubscriber({
    on: {
      'feed.source_read': async (event) => {
        const day = readingOf(event).readUpTo?.toISOString().slice(0, 10);
        if (day !== undefined && isReadUpTo(event, `${day}T00:00:00Z`))
          await start(`close-${event.data.object.name}-${day}`);
      },
    },
  });
