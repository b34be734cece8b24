import type { QueryClient } from "@tanstack/react-query";
import type { SignedIn } from "#api/users.ts";
import { sessionKey } from "./session-types.ts";

/** What begins the names of texts that are not saved yet, in the storage of the tab; the person's id follows. */
export const unsavedKey = "assent-unsaved";

/**
 * Continues as another person, or as nobody, and drops all data that was read before. The session itself is replaced
 * and not removed, because observers of it, such as the language of the pages, would not notice a new one in its place.
 */
export function beginSession(queries: QueryClient, session: SignedIn | null): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
  queries.getMutationCache().clear();
  queries.setQueryData(sessionKey, session);
  dropUnsaved(session?.user.id);
}

/** Whoever signs in again after their session has ended finds what they wrote; nobody else does. */
function dropUnsaved(exceptOf: string | undefined): void {
  try {
    for (const name of Object.keys(sessionStorage)) {
      const [kind, owner] = name.split("/");
      if (kind === unsavedKey && owner !== exceptOf) sessionStorage.removeItem(name);
    }
  } catch {
    // The browser stores nothing.
  }
}
