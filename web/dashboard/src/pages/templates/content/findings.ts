import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import type { Template } from "#api/templates.ts";
import { useApi } from "../../../api/client.ts";
import type { Draft } from "./draft.ts";

/** What validate-content has found. */
export interface Finding {
  readonly code: string;
  readonly message: string;
  readonly severity: "ERROR" | "WARNING";
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 code units. */
  readonly column: number;
  /** From 0, in UTF-16 code units. */
  readonly offset: number;
  readonly length: number;
  readonly snippet: string;
}

export interface ContentReport {
  readonly valid: boolean;
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
}

/**
 * As a publication would judge it: the check of a text alone does not know the variables of the template, so that it
 * only warns of all of them, while a publication takes those that are declared and refuses the others.
 */
function findingsOf(report: ContentReport, content: string, variables: ReadonlySet<string>): Finding[] {
  return [...report.errors, ...report.warnings]
    .flatMap((finding): Finding[] => {
      if (finding.code !== "CONTENT_PLACEHOLDER_UNKNOWN") return [finding];
      const key = content.slice(finding.offset, finding.offset + finding.length).replaceAll(/[{}]/g, "");
      return variables.has(key) ? [] : [{ ...finding, severity: "ERROR" }];
    })
    .sort((one, other) => one.offset - other.offset);
}

/** A merge field as the configuration of a template declares it. */
export interface Variable {
  readonly key: string;
  readonly label: string | undefined;
  readonly type: string;
  readonly choices: readonly string[];
  readonly fallback: string | undefined;
}

export function variablesOf({ type, typeConfig }: Pick<Template, "type" | "typeConfig">): Variable[] {
  if (type !== "GENERATED" || !Array.isArray(typeConfig.variables)) return [];
  return (typeConfig.variables as Record<string, unknown>[]).map((variable) => ({
    key: String(variable.key),
    label: typeof variable.label === "string" ? variable.label : undefined,
    type: String(variable.type ?? "STRING"),
    choices: Array.isArray(variable.enum) ? variable.enum.map(String) : [],
    fallback: variable.default === undefined ? undefined : String(variable.default),
  }));
}

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
