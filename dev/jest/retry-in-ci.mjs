// Deadlines, browsers and databases share two cores in CI. A test that fails there is tried once more;
// its first failure stays in the log, so that it can be mended.
import { jest } from "@jest/globals";

if (process.env.CI === "true") jest.retryTimes(1, { logErrorsBeforeRetry: true });
