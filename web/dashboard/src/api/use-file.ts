import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { errorOf, unreachable } from "./errors.ts";
import { sessionKey } from "./session-types.ts";

/** Reads files of the API, such as PDFs. Throws ApiError; a session that has ended leads to the sign-in page. */
export function useFile(): (path: string) => Promise<Blob> {
  const queries = useQueryClient();
  return useMemo(
    () => async (path) => {
      const response = await fetchOrThrow(path);
      if (response.ok) return response.blob();
      if (response.status === 401) queries.setQueryData(sessionKey, null);
      throw await errorOf(response);
    },
    [queries],
  );
}

async function fetchOrThrow(path: string): Promise<Response> {
  try {
    return await fetch(path, { credentials: "same-origin", cache: "no-store" });
  } catch {
    throw unreachable();
  }
}
