export function bundleSources(folder: string, here: string): string;
