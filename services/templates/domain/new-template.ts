import type { JsonObject } from "@bufbuild/protobuf";
import type { FieldProblem } from "#platform/errors.ts";
import { memberPath } from "#platform/problems.ts";
import { resolvePolicyFlags } from "./policy.ts";
import type { StatedPolicyFlags } from "./policy-flags.ts";
import { problem } from "./problems.ts";
import type { Template } from "./template.ts";
import { characters } from "./text.ts";
import { completeTypeConfig } from "./type-config.ts";

/** A template as its author asks for it. */
export interface NewTemplate
  extends Pick<Template, "name" | "type" | "description" | "defaultLocale" | "counterparty" | "metadata" | "brandId"> {
  /** Null: to be derived from the name. */
  readonly slug: string | null;
  readonly typeConfig: JsonObject;
  readonly policyFlags: StatedPolicyFlags;
}

/** A template before it has a slug; throws CLICK_POLICY_FLAG_CONFLICT. */
export function draftTemplate(
  input: NewTemplate,
  by: { readonly id: string; readonly clientId: string; readonly now: Date },
): Omit<Template, "organizationId" | "slug"> {
  const { name, type, description, defaultLocale, counterparty, metadata, brandId } = input;
  const typeConfig = completeTypeConfig(type, input.typeConfig);
  return {
    id: by.id,
    name,
    type,
    description,
    defaultLocale,
    typeConfig,
    policyFlags: resolvePolicyFlags({ type, typeConfig, stated: input.policyFlags }),
    counterparty,
    metadata,
    brandId,
    createdBy: by.clientId,
    firstPublishedAt: null,
    archivedAt: null,
    deletedAt: null,
    createdAt: by.now,
    updatedAt: by.now,
  };
}

const maxKeys = 50;
const maxCharacters = 500;

/** What is wrong with the metadata of a template. */
export function metadataProblems(metadata: Readonly<Record<string, string>>): FieldProblem[] {
  const entries = Object.entries(metadata);
  if (entries.length > maxKeys) return [problem("metadata", "TOO_MANY_KEYS", `must have at most ${maxKeys} keys`)];
  return entries.flatMap(([key, value]) => {
    if (characters(key) > maxCharacters) {
      return [problem("metadata", "TOO_LONG", `must have keys of at most ${maxCharacters} characters`)];
    }
    if (characters(value) <= maxCharacters) return [];
    return [problem(memberPath("metadata", key), "TOO_LONG", `must have at most ${maxCharacters} characters`)];
  });
}
