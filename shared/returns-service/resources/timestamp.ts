import * as z from 'zod';

/** ISO 8601; how precise and with or without a zone is not documented. */
export const documentedTimestamp = z.string().meta({ format: 'date-time' });
