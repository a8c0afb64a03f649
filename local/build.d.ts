import type { BuildOptions, BuildResult } from 'esbuild';

export function bundleCommand(
  options: Pick<BuildOptions, 'external' | 'plugins'>,
): Promise<BuildResult<{ metafile: true; write: false }>>;
