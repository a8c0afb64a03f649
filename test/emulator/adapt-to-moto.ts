// Removes the resources that moto's CloudFormation (5.2) can't create from the templates before the CDK deploys them;
// the services' own APIs create them afterwards (left-out.ts). These are types that moto skips, and archives, because
// it reads their pattern as a text. Moto also gives a FIFO queue an invalid name, and resolves a Ref to a bus to an
// internal object instead of the name.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Resource, Template } from '../stack/template.ts';

const LEFT_OUT: ReadonlySet<string> = new Set([
  'AWS::CloudWatch::Alarm',
  'AWS::Events::Archive',
  'AWS::Lambda::Alias',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Scheduler::Schedule',
  'AWS::Scheduler::ScheduleGroup',
  'AWS::SNS::Subscription',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::QueuePolicy',
]);

/** By their logical ids. */
export type Resources = Readonly<Record<string, Resource>>;

/** Changes the templates of an assembly. @returns the removed resources of each stack */
export function adaptToMoto(directory: string): ReadonlyMap<string, Resources> {
  const leftOut = new Map<string, Resources>();
  for (const file of readdirSync(directory).filter((it) => it.endsWith('.template.json'))) {
    const path = join(directory, file);
    const before = readFileSync(path, 'utf8');
    const template: Template = JSON.parse(before);
    const stackName = file.replace('.template.json', '');
    const isLeftOut = ([, { Type }]: [string, Resource]) => LEFT_OUT.has(Type);
    const entries = Object.entries(template.Resources);
    leftOut.set(stackName, Object.fromEntries(entries.filter(isLeftOut)));
    const kept = entries.filter((entry) => !isLeftOut(entry)).map((entry) => withQueueName(stackName, entry));
    const adapted = { ...template, Resources: Object.fromEntries(kept) };
    const after = JSON.stringify(withPlainReferences(adapted, template.Resources), undefined, 1);
    writeFileSync(path, after);
    renameAsset(directory, stackName, file, createHash('sha256').update(after).digest('hex'));
  }
  return leftOut;
}

function withQueueName(stackName: string, [id, resource]: [string, Resource]): [string, Resource] {
  const { Type, Properties } = resource;
  if (Type !== 'AWS::SQS::Queue' || Properties.FifoQueue !== true) return [id, resource];
  // A name has at most 80 characters; the end of the id makes it unique.
  const QueueName = `${`${stackName}-${id}`.slice(0, 60)}${id.slice(-8)}.fifo`;
  return [id, { ...resource, Properties: { ...Properties, QueueName } }];
}

/** Replaces references to schedule groups (roles name their only user) and to buses with names. */
function withPlainReferences(value: unknown, resources: Resources): unknown {
  if (Array.isArray(value)) return value.map((it) => withPlainReferences(it, resources));
  if (typeof value !== 'object' || value === null) return value;
  const { Ref: referred = '', 'Fn::GetAtt': [asked = ''] = [] } = value as Reference;
  const bus = resources[referred];
  if (bus?.Type === 'AWS::Events::EventBus') return bus.Properties.Name;
  const group = resources[asked];
  if (group?.Type === 'AWS::Scheduler::ScheduleGroup')
    return {
      'Fn::Sub': `arn:aws:scheduler:\${AWS::Region}:\${AWS::AccountId}:schedule-group/${group.Properties.Name}`,
    };
  return Object.fromEntries(
    Object.entries(value).map(([key, it]) => [key, withPlainReferences(it, resources)]),
  );
}

interface Reference {
  readonly Ref?: string;
  readonly 'Fn::GetAtt'?: readonly string[];
}

/** A template is uploaded under its digest, and not again if that name exists. */
function renameAsset(directory: string, stackName: string, file: string, digest: string): void {
  const assetsPath = join(directory, `${stackName}.assets.json`);
  const { files } = JSON.parse(readFileSync(assetsPath, 'utf8'));
  const old = Object.keys(files).find((it) => files[it].source.path === file);
  if (old === undefined) throw new Error(`${file} is not an asset of ${stackName}.`);
  for (const path of [assetsPath, join(directory, 'manifest.json')])
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(old, digest));
}
