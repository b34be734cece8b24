import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { sendAsOne } from "./client.ts";
import { errorOf, unreachable } from "./errors.ts";

/** Reads files of the API, such as PDFs, as useApi reads the rest. */
export function useFile(): (path: string, request?: RequestInit) => Promise<Blob> {
  const queries = useQueryClient();
  return useCallback((path, request) => sendAsOne(queries, () => fetchFile(path, request)), [queries]);
}

async function fetchFile(path: string, request: RequestInit = { cache: "no-store" }): Promise<Blob> {
  const response = await fetch(path, { credentials: "same-origin", ...request }).catch(() => {
    throw unreachable();
  });
  if (!response.ok) throw await errorOf(response);
  return response.blob();
}
