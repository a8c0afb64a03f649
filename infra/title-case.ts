/** `bus` becomes `Bus`. For ids and names of outputs. */
export function titleCase(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
