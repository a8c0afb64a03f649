/**
 * Books an arrival in the warehouse system. The parcel is the key, not the event: a parcel may be delivered, go on and be
 * delivered again, or move to another return. Each of these is an event with another id.
 */
export async function bookArrival(event: {
  readonly source: string;
  readonly data: { readonly object: { readonly id: number } };
}): Promise<void> {
  const address = `${process.env.WMS_URL}${event.source}/arrivals/${event.data.object.id}`;
  const answer = await fetch(address, { method: 'PUT', body: JSON.stringify(event) });
  if (!answer.ok) throw new Error(`The warehouse system answered ${answer.status}.`);
}
