// The machine-readable description (version 0.1.0, "Versioning"). Its parameters are written by hand; its resources
// come from the feed's own schemas of the document.

import * as z from 'zod';
import { DOCUMENTED_RESOURCES } from '../../../shared/returns-service/documented-resources.ts';

const INTEGER = { type: 'integer' };
const TEXT = { type: 'string' };
const DATE_TIME = { type: 'string', format: 'date-time' };

const RETURN_GROUP_PARAMETERS: Record<string, { schema: object; description: string }> = {
  return_group_id: { schema: INTEGER, description: 'filter by return group identifier' },
  email: { schema: TEXT, description: 'filter by customer e-mail' },
  order_id: { schema: INTEGER, description: 'filter by service order identifier' },
  order_name: { schema: TEXT, description: 'filter by order name/number' },
  tracking_code: { schema: TEXT, description: 'filter by tracking code' },
  min_created_at: { schema: DATE_TIME, description: 'lower bound on created_at' },
  max_created_at: { schema: DATE_TIME, description: 'upper bound on created_at' },
  min_updated_at: { schema: DATE_TIME, description: 'lower bound on updated_at' },
  max_updated_at: { schema: DATE_TIME, description: 'upper bound on updated_at' },
  min_shipped_at: { schema: DATE_TIME, description: 'lower bound on shipped time' },
  max_shipped_at: { schema: DATE_TIME, description: 'upper bound on shipped time' },
  limit: { schema: { ...INTEGER, minimum: 0 }, description: 'page size' },
  offset: { schema: { ...INTEGER, minimum: 0 }, description: 'number of items to skip' },
};

const ALLOWLIST_PARAMETERS: typeof RETURN_GROUP_PARAMETERS = {
  before: { schema: TEXT, description: 'cursor: the id of the last item of the page before' },
  limit: { schema: { ...INTEGER, minimum: 0 }, description: 'page size' },
};

const VALIDATION_ERROR = {
  type: 'object',
  required: ['loc', 'msg', 'type'],
  properties: {
    loc: { type: 'array', items: { anyOf: [TEXT, INTEGER] } },
    msg: TEXT,
    type: TEXT,
  },
};

/** The OpenAPI 3.1 document. */
export function describeService(): object {
  return {
    openapi: '3.1.0',
    info: { title: 'Returns Data Service', version: '0.1.0' },
    paths: {
      '/v2/return-groups': operation('List return groups', RETURN_GROUP_PARAMETERS, {
        $ref: '#/components/schemas/ReturnGroup',
      }),
      '/v2/allowlist-items': operation('List allowlist items', ALLOWLIST_PARAMETERS, { type: 'object' }),
    },
    components: {
      schemas: {
        ...describeResources(),
        ValidationError: VALIDATION_ERROR,
        HTTPValidationError: {
          type: 'object',
          properties: { detail: { type: 'array', items: { $ref: '#/components/schemas/ValidationError' } } },
        },
      },
    },
  };
}

function operation(summary: string, parameters: typeof RETURN_GROUP_PARAMETERS, item: object): object {
  const token = { name: 'X-Service-Api-Token', in: 'header', required: false, schema: TEXT };
  const query = Object.entries(parameters).map(([name, { schema, description }]) => ({
    name,
    in: 'query',
    required: false,
    description,
    schema: { anyOf: [schema, { type: 'null' }] },
  }));
  return {
    get: {
      summary,
      parameters: [...query, token],
      responses: {
        200: { description: 'OK', content: json({ type: 'array', items: item }) },
        422: {
          description: 'Validation error',
          content: json({ $ref: '#/components/schemas/HTTPValidationError' }),
        },
        429: { description: 'Rate limit exceeded' },
      },
    },
  };
}

function json(schema: object): object {
  return { 'application/json': { schema } };
}

function describeResources(): Record<string, object> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(DOCUMENTED_RESOURCES)) registry.add(schema, { id });
  const uri = (id: string) => `#/components/schemas/${id}`;
  const { schemas } = z.toJSONSchema(registry, { uri, io: 'input' });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _dialect, $id: _address, ...schema }]) => [id, schema]),
  );
}
