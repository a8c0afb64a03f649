// Which Node the command needs. Older releases have to read this file.

/** The oldest release. @see .github/workflows/ci.yml, which runs all tests on it */
export const OLDEST_NODE = '24.15';
/** Earlier ones may lose a WAL that resets. A build of Node may use the SQLite of its machine. */
const OLDEST_SQLITE = '3.51.3';

/** @returns a sentence if this Node is too old; undefined if it is not */
export function whyTooOld({ node, sqlite } = process.versions) {
  if (isAtLeast(node, OLDEST_NODE) && isAtLeast(sqlite ?? '', OLDEST_SQLITE)) return undefined;
  const found = `${node} ${sqlite === undefined ? 'without SQLite' : `with SQLite ${sqlite}`}`;
  return `Node ${OLDEST_NODE} or later is needed, with SQLite ${OLDEST_SQLITE} or later, and this is ${found}.`;
}

function isAtLeast(version, oldest) {
  return version.localeCompare(oldest, 'en', { numeric: true }) >= 0;
}
