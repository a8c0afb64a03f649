/** For ids and names of outputs: `bus` becomes `Bus`. */
export function titleCase(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
