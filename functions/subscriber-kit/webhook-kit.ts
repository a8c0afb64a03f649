// biome-ignore-all lint/performance/noBarrelFile: `returns-change-feed/webhook-receiver`, which other repositories import.
// Apart from `subscriber-kit`, so that a worker's bundle has nothing of Lambda's queues in it.
export { becomes, type StatusEvent, type StatusHandlers } from './becomes.ts';
export type { MemoryKey, SubscriberMemory } from './subscriber-memory.ts';
export type * from './subscriber-options.ts';
export { type FunctionUrlAnswer, toLambdaHandler } from './to-lambda-handler.ts';
export { type NodeRequest, type NodeResponse, toNodeHandler } from './to-node-handler.ts';
export { type PreAdvice, type PreAdviceLine, type PreAdviceParcel, toPreAdvice } from './to-pre-advice.ts';
export {
  createWebhookReceiver,
  type WebhookReceiver,
  type WebhookReceiverOptions,
} from './webhook-receiver.ts';
export type { WebhookSecrets } from './webhook-secrets.ts';
