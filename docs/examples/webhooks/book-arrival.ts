/** Books an arrival in the warehouse system. The event's id is the arrival's, so that a repeat changes nothing. */
export async function bookArrival(event: { readonly id: string }): Promise<void> {
  const address = `${process.env.WMS_URL}/arrivals/${event.id}`;
  const answer = await fetch(address, { method: 'PUT', body: JSON.stringify(event) });
  if (!answer.ok) throw new Error(`The warehouse system answered ${answer.status}.`);
}
