// Starts the DynamoDB engine on the file in the argument, prints its endpoint, and waits to be killed.
import { startDynamoDbEngine } from '../dynamodb-engine.ts';

const [dbPath] = process.argv.slice(2);
const engine = await startDynamoDbEngine(dbPath === undefined ? {} : { dbPath });
process.stdout.write(`${engine.endpoint}\n`);
