import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { FlagValues, Template } from "#api/templates.ts";
import { useApi } from "../../api/client.ts";
import { templatePath } from "./queries.ts";

export type TemplateType = Template["type"];
export type TemplateStatus = Template["status"];

export const templateTypes = ["STATIC", "GENERATED", "CONSENT"] as const satisfies readonly TemplateType[];
export const templateStatuses = ["DRAFT", "PUBLISHED", "ARCHIVED"] as const satisfies readonly TemplateStatus[];

export type FlagValue = FlagValues[string];

/** What an acceptance must carry about who the person is. */
export interface Verification {
  readonly required: boolean;
  readonly mode: "ALL" | "ANY";
  readonly methods: readonly VerificationMethod[];
}

export interface VerificationMethod {
  readonly method: string;
  readonly required: boolean;
  readonly level: number;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** How a template is configured. */
export interface Configuration {
  readonly templateId: string;
  readonly type: TemplateType;
  readonly status: TemplateStatus;
  readonly typeConfig: Readonly<Record<string, unknown>>;
  readonly policyFlags: FlagValues;
  readonly effectivePolicy: FlagValues;
  readonly verification: Verification;
  readonly policyHash: string;
  readonly updatedAt: string;
}

/** What the API says of a type of templates, as far as the pages need it. */
interface TypeInfo {
  readonly type: TemplateType;
  readonly defaults: { readonly policyFlags: FlagValues };
}

// Below the key of the template, so that it is asked for again whenever the template changes.
const keyOf = (templateId: string) => ["templates", "template", templateId, "configuration"] as const;

export function useConfiguration(templateId: string) {
  const api = useApi();
  return useQuery({
    queryKey: keyOf(templateId),
    queryFn: () => api.get<Configuration>(`${templatePath(templateId)}/configuration`),
  });
}

export function useTypeDefaults(type: TemplateType | undefined): FlagValues {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ["templates", "types"],
    queryFn: () => api.get<TypeInfo[]>("/v1/click/templates/types"),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data?.find((info) => info.type === type)?.defaults.policyFlags ?? {};
}

/** An answer of the API about a configuration, so that nobody asks for it again. */
export function useConfigurationIs() {
  const queries = useQueryClient();
  return (configuration: Configuration) => queries.setQueryData(keyOf(configuration.templateId), configuration);
}

/** Such as "German (de)" in the language of the person. */
export function languageName(tag: string, locale: string): string {
  try {
    const name = new Intl.DisplayNames([locale], { type: "language" }).of(tag);
    return name === undefined || name === tag ? tag : `${name} (${tag})`;
  } catch {
    // The service takes tags that this browser does not know.
    return tag;
  }
}

/** What each tab of the page of a template is given. */
export interface TemplateTabProps {
  readonly templateId: string;
}
