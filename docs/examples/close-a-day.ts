import { createQueueSubscriber, isReadUpTo } from 'returns-change-feed/subscriber-kit';

/** Starts the job that closes a day; a name that is taken must be no error, because the report comes every minute. */
type StartJob = (name: string) => Promise<void>;

export const closeDays = (start: StartJob, today: () => Date = () => new Date()) =>
  createQueueSubscriber({
    on: {
      'feed.source_read': async (event) => {
        const midnight = `${today().toISOString().slice(0, 10)}T00:00:00Z`;
        if (isReadUpTo(event, midnight))
          await start(`close-${event.data.object.name}-${midnight.slice(0, 10)}`);
      },
    },
  });
