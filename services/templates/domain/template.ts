import type { JsonObject } from "@bufbuild/protobuf";
import { canonicalJson } from "#platform/canonical-json.ts";
import { DomainError } from "#platform/errors.ts";
import { resolvePolicyFlags, statedPolicyFlags } from "./policy.ts";
import type { PolicyFlags, StatedPolicyFlags } from "./policy-flags.ts";
import { completeTypeConfig, type TemplateType } from "./type-config.ts";
export type TemplateStatus = "DRAFT" | "PUBLISHED" | "ARCHIVED";

/** Who the user contracts with. */
export interface Counterparty {
  readonly legalName: string;
  readonly address: string | null;
  readonly url: string | null;
}

export interface Template {
  organizationId: string;
  id: string;
  name: string;
  slug: string;
  type: TemplateType;
  description: string | null;
  defaultLocale: string;
  /** Complete: the defaults are filled in. */
  typeConfig: JsonObject;
  policyFlags: PolicyFlags;
  counterparty: Counterparty | null;
  metadata: Readonly<Record<string, string>>;
  /** A brand of the organization, which may be gone; null for its default one. Deployments may name another one. */
  brandId: string | null;
  createdBy: string;
  /** Locks the type. */
  firstPublishedAt: Date | null;
  archivedAt: Date | null;
  /** Since when the template is hidden; only templates that were once published are kept like this. */
  deletedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** The status is never stored, so it can never disagree with the versions. */
export function templateStatus(template: { archived: boolean; publishedVersions: number }): TemplateStatus {
  if (template.archived) return "ARCHIVED";
  return template.publishedVersions > 0 ? "PUBLISHED" : "DRAFT";
}

/** Throws CLICK_TEMPLATE_ARCHIVED. */
export function requireActive(template: Pick<Template, "archivedAt">): void {
  if (template.archivedAt !== null) throw new DomainError("CLICK_TEMPLATE_ARCHIVED");
}

/** New values of the fields that change; null clears a field that can be empty. */
export interface TemplateChanges {
  name?: string;
  slug?: string;
  type?: TemplateType;
  description?: string | null;
  defaultLocale?: string;
  /** Replaces what was there; the defaults of the type fill the rest. */
  typeConfig?: JsonObject;
  /** Replaces what was there; the defaults of the type fill the rest. */
  policyFlags?: StatedPolicyFlags;
  counterparty?: Counterparty | null;
  metadata?: Readonly<Record<string, string>>;
  brandId?: string | null;
  /** Takes the template out of the archive. */
  restore?: true;
}

/** What can be updated in place. */
export type TemplateUpdate = Partial<
  Pick<
    Template,
    | "name"
    | "slug"
    | "type"
    | "description"
    | "defaultLocale"
    | "typeConfig"
    | "policyFlags"
    | "counterparty"
    | "metadata"
    | "brandId"
    | "archivedAt"
  >
>;

/**
 * The fields that really get another value; none when everything is as wanted already.
 * Throws CLICK_TEMPLATE_ARCHIVED, CLICK_TEMPLATE_TYPE_LOCKED, CLICK_VALIDATION_FAILED for a configuration that the type
 * does not take, and CLICK_POLICY_FLAG_CONFLICT.
 */
export function changeTemplate(template: Template, changes: TemplateChanges): TemplateUpdate {
  const { restore, type = template.type, typeConfig, policyFlags, ...plain } = changes;
  const changesFields = Object.keys(changes).some((field) => field !== "restore");
  if (changesFields && restore !== true) requireActive(template);
  if (type !== template.type && template.firstPublishedAt !== null) {
    throw new DomainError("CLICK_TEMPLATE_TYPE_LOCKED");
  }
  const wanted: TemplateUpdate = { ...plain, type, ...rules(template, { type, typeConfig, policyFlags }) };
  if (restore === true) wanted.archivedAt = null;
  const changed = Object.entries(wanted).filter(([field, value]) => !isSame(template[field as keyof Template], value));
  return Object.fromEntries(changed) as TemplateUpdate;
}

interface RuleChanges {
  readonly type: TemplateType;
  readonly typeConfig: JsonObject | undefined;
  readonly policyFlags: StatedPolicyFlags | undefined;
}

/** A new type brings its own defaults: a configuration of another type means nothing, but stated flags are kept. */
function rules(template: Template, changes: RuleChanges): Partial<Pick<Template, "typeConfig" | "policyFlags">> {
  const { type } = changes;
  const isNewType = type !== template.type;
  if (!isNewType && changes.typeConfig === undefined && changes.policyFlags === undefined) return {};
  const typeConfig =
    changes.typeConfig !== undefined || isNewType ? completeTypeConfig(type, changes.typeConfig) : template.typeConfig;
  if (changes.policyFlags !== undefined) {
    return { typeConfig, policyFlags: resolvePolicyFlags({ type, typeConfig, stated: changes.policyFlags }) };
  }
  if (isNewType) {
    const stated = statedPolicyFlags(template.type, template.policyFlags);
    return { typeConfig, policyFlags: resolvePolicyFlags({ type, typeConfig, stated }) };
  }
  const base = template.policyFlags;
  return { typeConfig, policyFlags: resolvePolicyFlags({ type, typeConfig, stated: {}, base }) };
}

const isSame = (a: unknown, b: unknown): boolean => canonicalJson(a ?? null) === canonicalJson(b ?? null);
