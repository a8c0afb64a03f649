export function folderOfBundles(): string;
export function noteOf(folder: string, here: string): string;
export function findBundle(folder: string, here: string): string | undefined;
export function stampOf(file: string): string;
