// The stories of parcels (test/functions/sample-warehouse), in a warehouse behind the bus.
import { DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { createSeededRandom } from '../fakes/seeded-random.ts';
import type { RecordedStory } from '../functions/sample-warehouse/parcel-stories.ts';
import { onBus } from '../functions/subscriber-kit/deliveries.ts';
import { invoke } from './functions.ts';

/** Of the stories in the warehouse's table, which has returns of the polled source as well. */
const SOURCE = 'stories';
/** So many events are handled at the same time, each in a process of its own. */
const AT_ONCE = 2;

const dynamoDb = new DynamoDBClient();

/** Gives the function each event twice, in any order. */
export async function tellStories(stories: readonly RecordedStory[], functionName: string): Promise<void> {
  const random = createSeededRandom(1);
  const events = stories
    .flatMap((story) => [...story.events, ...story.events])
    .map((event) => ({
      event: JSON.parse(JSON.stringify(onBus(event)).replaceAll('acme', SOURCE)),
      place: random.next(),
    }))
    .sort((a, b) => a.place - b.place);
  const tell = async () => {
    for (let it = events.pop(); it !== undefined; it = events.pop()) await invoke(functionName, it.event);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, tell));
}

/** The decision on each part of a story's return, by the part's name in the story. */
export async function decisionsOn(
  { group, parts }: RecordedStory,
  TableName: string,
): Promise<Record<string, string | undefined>> {
  const { Items = [] } = await dynamoDb.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'return_group = :group',
      ExpressionAttributeValues: { ':group': { S: `${SOURCE}/${group}` } },
    }),
  );
  return Object.fromEntries(
    Items.flatMap(({ part, decision }) => (decision ? [[parts[part?.S ?? ''] ?? part?.S, decision.S]] : [])),
  );
}
