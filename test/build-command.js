// Tests that start the command start the present sources, also when `vitest` repeats them after an edit.
import { buildIfChanged } from '../local/build.js';

export async function setup(project) {
  await buildIfChanged();
  project.onTestsRerun(() => buildIfChanged());
}
