import type { _Record, AttributeValue as SdkValue } from '@aws-sdk/client-dynamodb-streams';
import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';

/**
 * A stream's record in the form that Lambda passes to a function. It differs from the SDK's in binary values, which are
 * base64 texts, and in the time, which is in seconds since the epoch.
 */
export function toDynamoDbRecord(record: _Record, streamArn: string): DynamoDBRecord {
  const { Keys, NewImage, OldImage, ApproximateCreationDateTime, ...others } = record.dynamodb ?? {};
  return {
    ...(record.eventID !== undefined && { eventID: record.eventID }),
    ...(record.eventName !== undefined && { eventName: record.eventName }),
    ...(record.eventVersion !== undefined && { eventVersion: record.eventVersion }),
    ...(record.awsRegion !== undefined && { awsRegion: record.awsRegion }),
    eventSource: 'aws:dynamodb',
    eventSourceARN: streamArn,
    dynamodb: {
      ...definedOnly(others),
      ...(ApproximateCreationDateTime !== undefined && {
        ApproximateCreationDateTime: ApproximateCreationDateTime.getTime() / 1000,
      }),
      ...(Keys !== undefined && { Keys: toLambdaImage(Keys) }),
      ...(NewImage !== undefined && { NewImage: toLambdaImage(NewImage) }),
      ...(OldImage !== undefined && { OldImage: toLambdaImage(OldImage) }),
    },
  };
}

function toLambdaImage(image: Readonly<Record<string, SdkValue>>): Record<string, AttributeValue> {
  return Object.fromEntries(Object.entries(image).map(([name, value]) => [name, toLambdaValue(value)]));
}

function toLambdaValue(value: SdkValue): AttributeValue {
  if (value.B !== undefined) return { B: toBase64(value.B) };
  if (value.BS !== undefined) return { BS: value.BS.map(toBase64) };
  if (value.L !== undefined) return { L: value.L.map(toLambdaValue) };
  if (value.M !== undefined) return { M: toLambdaImage(value.M) };
  // The other kinds are the same on both sides.
  return value as AttributeValue;
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

function definedOnly<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
