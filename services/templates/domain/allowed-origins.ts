import type { FieldProblem } from "#platform/errors.ts";
import type { Environment } from "./deployment.ts";
import { problem } from "./problems.ts";

const maxLength = 300;

/** Browsers send nothing else in Origin, and in a header of ours nothing else is harmless. */
const hostPattern = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:]+\])$/;

/**
 * The form in which a browser names this origin: lower case, no default port, international names in ASCII. Undefined
 * for anything but a scheme, a host and perhaps a port, and for schemes other than https, and http on this machine.
 */
export function canonicalOrigin(text: string): string | undefined {
  if (text.length > maxLength || !/^https?:\/\/[^\p{C}\s/?#\\@]+$/iu.test(text) || !URL.canParse(text))
    return undefined;
  const { origin, protocol, hostname } = new URL(text);
  if (!hostPattern.test(hostname)) return undefined;
  return protocol === "https:" || isLocal(hostname) ? origin : undefined;
}

/** What is wrong with canonical origins in a deployment of this environment. */
export const originProblems = (origins: readonly string[], environment: Environment): FieldProblem[] =>
  origins.flatMap((origin, index) =>
    origin.startsWith("https:") || environment === "TEST"
      ? []
      : [problem(`allowedOrigins[${index}]`, "INVALID_ORIGIN", "must use https, unless the environment is TEST")],
  );

const isLocal = (hostname: string): boolean => hostname === "localhost" || hostname === "127.0.0.1";
