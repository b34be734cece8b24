import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { beginSession } from "../../api/begin-session.ts";
import type { SignedIn } from "../../api/session-types.ts";
import { useNavigate, useSearch } from "../../app/router.tsx";

/** Goes on as the person who has just logged in, to where they wanted to be. */
export function useEnter(): (session: SignedIn) => void {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const next = useSearch().get("next") ?? "/";
  return useCallback(
    (session) => {
      beginSession(queries, session);
      navigate(next.startsWith("/") ? next : "/", { replace: true });
    },
    [queries, navigate, next],
  );
}
