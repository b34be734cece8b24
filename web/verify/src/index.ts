import { runAsProgram, runVerifier } from "./cli.ts";

export type { CheckName, Finding, Status } from "./finding.ts";
export { type Verification, type VerifyOptions, verifyBundle } from "./verify-bundle.ts";

// Browsers, and programs that import this file, were not started with it.
void runAsProgram(import.meta.url, runVerifier);
