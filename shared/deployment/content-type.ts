/** The media types of a webhook's body. SDKs of CloudEvents read an event only with the first. */
export const CONTENT_TYPES = ['application/cloudevents+json', 'application/json'] as const;

export type ContentType = (typeof CONTENT_TYPES)[number];

export const DEFAULT_CONTENT_TYPE: ContentType = 'application/cloudevents+json';
