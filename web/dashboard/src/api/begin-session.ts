import type { QueryClient } from "@tanstack/react-query";
import type { SignedIn } from "#api/users.ts";
import { sessionKey } from "./session-types.ts";

/**
 * Continues as another person, or as nobody, and drops all data that was read before. The session itself is replaced
 * and not removed, because observers of it, such as the language of the pages, would not notice a new one in its place.
 */
export function beginSession(queries: QueryClient, session: SignedIn | null): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
  queries.getMutationCache().clear();
  queries.setQueryData(sessionKey, session);
}
