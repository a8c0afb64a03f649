// biome-ignore-all lint/performance/noBarrelFile: `returns-change-feed/subscriber-kit`, which other repositories import.
export { becomes, type StatusEvent, type StatusHandlers } from './becomes.ts';
export { createReadUpTo, isReadUpTo, type ReadUpTo, readingOf, type SourceReading } from './read-up-to.ts';
export { type RecordedEvent, type RecordedRun, runRecorded } from './run-recorded.ts';
export {
  type BusSubscriber,
  createBusSubscriber,
  createQueueSubscriber,
  type QueueSubscriber,
} from './subscriber.ts';
export type { MemoryKey, SubscriberMemory } from './subscriber-memory.ts';
export type * from './subscriber-options.ts';
export { type PreAdvice, type PreAdviceLine, type PreAdviceParcel, toPreAdvice } from './to-pre-advice.ts';
