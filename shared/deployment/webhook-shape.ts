/** What a webhook posts: each event, or the whole return as it is now. */
export const WEBHOOK_SHAPES = ['event', 'return'] as const;

export type WebhookShape = (typeof WEBHOOK_SHAPES)[number];
