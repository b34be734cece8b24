import { Code, ConnectError } from "@connectrpc/connect";

/** What kind of failure it was, in one word: its code, or the name of its class. Never what it says. */
export function errorKind(error: unknown): string {
  if (error instanceof ConnectError) return Code[error.code] ?? "Unknown";
  if (typeof error !== "object" || error === null) return "unknown";
  const { code } = error as { readonly code?: unknown };
  // DomainError, Node and Postgres have such codes.
  if (typeof code === "string" && code.length <= 60 && /^[A-Z0-9_]+$/.test(code)) return code;
  return error instanceof Error ? error.constructor.name : "unknown";
}
