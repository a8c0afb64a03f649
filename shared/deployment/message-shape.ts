/** The forms in which webhooks and readers get changes: each event, or the whole return as it is now. */
export const MESSAGE_SHAPES = ['event', 'return'] as const;

export type MessageShape = (typeof MESSAGE_SHAPES)[number];
