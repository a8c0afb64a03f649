// One execution environment of Lambda, as a worker thread with an environment of its own: loads the bundle by its
// handler setting and invokes it with what it is sent, one event at a time.
import { parentPort, workerData } from 'node:worker_threads';

const { file, exportName, functionName, timeoutMs, ahead } = workerData;
setClockAhead();
const loading = import(file);

parentPort.on('message', async ({ id, event, alias }) => {
  const deadline = Date.now() + timeoutMs;
  const context = {
    functionName,
    invokedFunctionArn: [`arn:aws:lambda:us-east-1:000000000000:function:${functionName}`, ...alias].join(
      ':',
    ),
    awsRequestId: id,
    getRemainingTimeInMillis: () => deadline - Date.now(),
  };
  try {
    const bundle = await loading;
    const handler = bundle[exportName] ?? bundle.default?.[exportName];
    if (handler === undefined) throw new Error(`The bundle does not export ${exportName}.`);
    parentPort.postMessage({ id, response: await handler(event, context) });
  } catch (error) {
    parentPort.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
  }
});

/** The deployment moves the time of all its functions, for tests of what takes minutes. */
function setClockAhead() {
  const elapsed = performance.now.bind(performance);
  performance.now = () => elapsed() + ahead[0];
  const RealDate = Date;
  globalThis.Date = class extends RealDate {
    constructor(...values) {
      if (values.length === 0) super(RealDate.now() + ahead[0]);
      else super(...values);
    }
    static now() {
      return RealDate.now() + ahead[0];
    }
  };
}
