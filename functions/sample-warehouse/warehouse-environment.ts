// The sample warehouse's environment variables.
import * as z from 'zod';

const text = z.string().min(1);

const warehouseEnvironment = z.object({ TABLE_NAME: text, STATE_MACHINE_ARN: text });

export type WarehouseEnvironment = z.infer<typeof warehouseEnvironment>;

/** @throws an error that names every missing or invalid variable */
export function parseWarehouseEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): WarehouseEnvironment {
  const parsed = warehouseEnvironment.safeParse(environment);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new Error(`The sample warehouse's environment is incomplete or invalid. ${problems.join('; ')}.`);
}
