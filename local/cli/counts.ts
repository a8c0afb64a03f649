/** For instance `1,234`. */
export function formatCount(number: number): string {
  return number.toLocaleString('en');
}

/** For instance `1 event` or `1,234 events`. */
export function counted(number: number, noun: string): string {
  return `${formatCount(number)} ${noun}${number === 1 ? '' : 's'}`;
}
