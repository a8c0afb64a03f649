// The sample warehouse's environment variables.
import * as z from 'zod';
import { type Environment, parseEnvironment } from '../adapters/parse-environment.ts';

const text = z.string().min(1);

const warehouseEnvironment = z.object({ TABLE_NAME: text, STATE_MACHINE_ARN: text });

export type WarehouseEnvironment = z.infer<typeof warehouseEnvironment>;

/** @throws Error that names every missing or invalid variable */
export function parseWarehouseEnvironment(environment: Environment): WarehouseEnvironment {
  return parseEnvironment(warehouseEnvironment, environment, "The sample warehouse's environment");
}
