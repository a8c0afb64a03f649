/** For ids and names of outputs: `queue` becomes `Queue`. */
export function titleCase(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
