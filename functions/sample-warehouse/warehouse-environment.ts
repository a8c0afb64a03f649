// What the sample warehouse is told by its environment.
import * as z from 'zod';

const text = z.string().min(1);

const warehouseEnvironment = z.object({ TABLE_NAME: text, STATE_MACHINE_ARN: text });

export type WarehouseEnvironment = z.infer<typeof warehouseEnvironment>;

/** @throws an error that names every variable that is missing or wrong. */
export function parseWarehouseEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): WarehouseEnvironment {
  const parsed = warehouseEnvironment.safeParse(environment);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new Error(`The sample warehouse's environment is not complete. ${problems.join('; ')}.`);
}
