import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { type SignedIn, sessionKey } from "../../api/session-types.ts";
import { useNavigate, useSearch } from "../../app/router.tsx";

/** Goes on as the person who has just logged in, to where they wanted to be. */
export function useEnter(): (session: SignedIn) => void {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const next = useSearch().get("next") ?? "/";
  return useCallback(
    (session) => {
      // What somebody else has read before is none of theirs.
      queries.clear();
      queries.setQueryData(sessionKey, session);
      navigate(next.startsWith("/") ? next : "/", { replace: true });
    },
    [queries, navigate, next],
  );
}
