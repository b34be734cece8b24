import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import type { Template } from "#api/templates.ts";
import { useApi } from "../../../api/client.ts";
import type { Draft } from "./draft.ts";
import { type ContentReport, type Finding, findingsOf, variablesOf } from "./findings.ts";

export interface Findings {
  /** The text that they are about, which may have been changed since. */
  readonly content: string;
  readonly all: readonly Finding[];
  readonly isChecking: boolean;
  readonly error: unknown;
}

const pauseMs = 500;

/** Checks a text as soon as somebody pauses in writing it. */
export function useFindings(template: Template, { content, format }: Draft): Findings {
  const api = useApi();
  const settled = useSettled(content, pauseMs);
  const { type } = template;
  const { data, error, isFetching } = useQuery({
    queryKey: ["templates", "checked", type, format, settled],
    queryFn: async () => ({
      content: settled,
      report: await api.send<ContentReport>("POST", "/v1/click/templates/validate-content", {
        type,
        format,
        content: settled,
      }),
    }),
    // Nothing is wrong yet with what nobody has begun.
    enabled: settled !== "",
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 10_000,
  });
  const all = useMemo(() => {
    if (data === undefined || settled === "") return [];
    const variables = new Set(variablesOf(template).map(({ key }) => key));
    return findingsOf(data.report, data.content, variables);
  }, [data, settled, template]);
  return { content: data?.content ?? "", all, isChecking: isFetching || settled !== content, error };
}

/** The value once it has not changed for a while. */
export function useSettled<T>(value: T, milliseconds: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}
