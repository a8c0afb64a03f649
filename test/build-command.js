// Tests that start the command start the present sources, also when `vitest` repeats them after an edit.
import { buildIfChanged } from '../local/build.js';
import { whyTooOld } from '../local/cli/needed-node.js';

export async function setup(project) {
  const reason = whyTooOld();
  if (reason !== undefined) throw new Error(reason);
  await buildIfChanged();
  project.onTestsRerun(() => buildIfChanged());
}
