// The activities of sources in memory.
import type { Activities } from '../../shared/ports.ts';
import type { Activity } from '../../shared/reporting/activity.ts';

export function createMemoryActivities(): Activities {
  const activities = new Map<string, Activity>();
  return {
    load: async (source) => activities.get(source),
    async save(source, activity) {
      activities.set(source, activity);
    },
  };
}
