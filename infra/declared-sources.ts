// Writes the construct's sources into the directory, by one custom resource for all: a template has room for 500 resources.
// CloudFormation invokes its function with at most 262,144 bytes, so the list itself is an asset, and the resource has its
// place and the values that only the deployment knows.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CustomResource, Duration, Names, Stage, Token } from 'aws-cdk-lib';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { Construct } from 'constructs';
import { TABLES } from '../shared/deployment/tables.ts';
import { formatValueMarker } from '../shared/deployment/value-marker.ts';
import { allow, allowItems, allowPattern, ENTRIES } from './allow.ts';
import { createFunction, type FunctionDefaults } from './create-function.ts';
import { placeOf } from './declared-tokens.ts';
import { alarmedOf, type SourceProps, settingsOf } from './source-props.ts';
import type { FeedTables } from './storage.ts';

/** Lambda tries a failed invocation twice more, after a minute and after two. */
const TIMEOUT = Duration.minutes(2);
const GIVE_UP = Duration.minutes(12);

export interface DeclaredSourcesProps extends FunctionDefaults {
  readonly sources: readonly SourceProps[];
  readonly tables: FeedTables;
  readonly poller: lambda.IFunction;
}

export class DeclaredSources extends Construct {
  constructor(scope: Construct, id: string, props: DeclaredSourcesProps) {
    super(scope, id);
    const { sources: table } = props.tables;
    const { function: fn, role } = createFunction(this, 'Sources', props, {
      code: 'declared-sources',
      description: 'Declares the sources of the stack',
      environment: { SOURCES_TABLE: table.tableName },
      timeout: TIMEOUT,
      memorySizeMiB: 256,
    });
    const { list, values } = listOf(props.sources);
    const asset = this.#storeList(list);
    // Any list: a rollback reads an earlier one, and a policy for one list would take effect after it.
    const lists = asset.bucket.arnForObjects('*.json');
    allowPattern(role, 's3:GetObject', lists, 'The name of a list is the hash of its content.');
    allowItems(role, table, ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:DeleteItem'], ENTRIES);
    allow(role, ['dynamodb:Query'], `${table.tableArn}/index/${TABLES.sources.index.name}`);
    const entries = new CustomResource(this, 'Entries', {
      resourceType: 'Custom::DeclaredSources',
      serviceToken: fn.functionArn,
      serviceTimeout: GIVE_UP,
      properties: { Bucket: asset.s3BucketName, Key: asset.s3ObjectKey, Values: values },
    });
    // An entry may name a new token, so the poller's policy comes first.
    entries.node.addDependency(props.poller);
  }

  #storeList(list: string): Asset {
    const path = join(
      Stage.of(this)?.outdir ?? '',
      `${Names.uniqueResourceName(this, { maxLength: 100 })}.json`,
    );
    writeFileSync(path, list);
    return new Asset(this, 'List', { path });
  }
}

/** @returns the list as JSON, with markers for the values that only the deployment knows */
function listOf(sources: readonly SourceProps[]) {
  const markers = new Map<string, string>();
  const alarmed = new Set(alarmedOf(sources));
  const given = sources.map((source) => ({
    ...{ settings: settingsOf(source), token: placeOf(source) },
    alarm: alarmed.has(source),
  }));
  const list = JSON.stringify(given, (_, value) => {
    if (typeof value !== 'string' || !Token.isUnresolved(value)) return value;
    const id = markers.get(value) ?? String(markers.size);
    markers.set(value, id);
    return formatValueMarker(id);
  });
  return { list, values: Object.fromEntries([...markers].map(([value, id]) => [id, value])) };
}
