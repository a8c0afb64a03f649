// The trial stack with subscribers, synthesized for a service on this machine, and the engines that it runs on.
import { createReferenceService } from '../../local/reference-service/create-reference-service.ts';
import { startEngines } from './start-engines.ts';
import { addSubscribers, synthesizeStack, TOKEN_SECRET } from './synthesize-stack.ts';
import type { Assembly, Template } from './template.ts';
import { type Watched, watchAChange } from './watch-a-change.ts';

export interface StackUnderTest {
  readonly assembly: Assembly;
  /** One run of the assembly's template, or of a changed copy. */
  watch(template: Template, options: { readonly withSweeps: boolean }): Promise<Watched>;
  stop(): Promise<void>;
}

export async function startStackUnderTest(): Promise<StackUnderTest> {
  const service = await createReferenceService({ groups: 100, life: false });
  const assembly = synthesizeStack(service.url, addSubscribers);
  const ends: (() => unknown)[] = [service.close];
  const engines = await startEngines(ends);
  const secrets = new Map([[TOKEN_SECRET, service.token]]);
  return {
    assembly,
    watch: (template, options) => watchAChange(service, { assembly, template, engines, secrets, ...options }),
    async stop() {
      for (const end of ends.reverse()) await end();
    },
  };
}
