/** An answer with a sentence for the person who reads the sender's log. It never quotes an error of a handler. */
export function answer(status: number, sentence?: string, headers: Record<string, string> = {}): Response {
  if (sentence === undefined) return new Response(null, { status, headers });
  return new Response(`${sentence}\n`, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
  });
}
