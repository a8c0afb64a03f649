// In the list of declared sources a marker stands for a text that only the deployment knows, such as the ARN of a secret.

export function formatValueMarker(id: string): string {
  return `<<${id}>>`;
}

/** Its group is the id. */
export const VALUE_MARKER = /^<<(\d+)>>$/;
