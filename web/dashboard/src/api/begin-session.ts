import type { QueryClient } from "@tanstack/react-query";
import type { SignedIn } from "#api/users.ts";
import { sessionKey } from "./session-types.ts";

/**
 * Goes on as somebody else, or as nobody: what was read before is none of theirs. The session itself is replaced and not
 * removed, because whoever watches it, as the language of the pages does, would not see another in its place.
 */
export function beginSession(queries: QueryClient, session: SignedIn | null): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
  queries.getMutationCache().clear();
  queries.setQueryData(sessionKey, session);
}
