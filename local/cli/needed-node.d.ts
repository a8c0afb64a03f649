export const OLDEST_NODE: string;
export function whyTooOld(versions?: { readonly node: string; readonly sqlite?: string }): string | undefined;
