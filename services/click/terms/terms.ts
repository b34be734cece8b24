import { createHash } from "node:crypto";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type TemplateSnapshot, TemplateType as WireType } from "#gen/assent/templates/v1/templates_pb.ts";
import { canonicalJson, sha256Label } from "#platform/canonical-json.ts";
import { effectivePolicy, type Policy, type TemplateType } from "./policy.ts";

/** Who the user contracts with. */
export interface Counterparty {
  readonly legalName: string;
  readonly address: string | null;
  readonly url: string | null;
}

/** What held besides the text when it was shown. */
export interface Terms {
  readonly templateId: string;
  readonly slug: string;
  readonly name: string;
  readonly type: TemplateType;
  readonly counterparty: Counterparty | null;
  readonly typeConfig: JsonObject;
  readonly policy: Policy & JsonObject;
}

/** Terms in the form they are stored in, with what is derived from them. */
export interface KeptTerms {
  readonly terms: Terms;
  /** Canonical JSON. */
  readonly text: string;
  /** SHA-256 of the text: equal terms are stored once. */
  readonly hash: Buffer;
  readonly policyHash: string;
  readonly purposes: ReadonlyMap<string, Purpose>;
}

export interface Purpose {
  readonly required: boolean;
  readonly saleOrShare: boolean;
  readonly legalBasis: string;
  /** How long a grant holds; 0 until it is withdrawn. */
  readonly expiresAfterDays: number;
}

export function termsFromSnapshot(snapshot: TemplateSnapshot): KeptTerms {
  const type = templateTypes[snapshot.type];
  if (type === undefined) throw new Error(`template ${snapshot.templateId} has the unknown type ${snapshot.type}`);
  const { counterparty } = snapshot;
  return keepTerms({
    templateId: snapshot.templateId,
    slug: snapshot.slug,
    name: snapshot.name,
    type,
    counterparty:
      counterparty === undefined
        ? null
        : { legalName: counterparty.legalName, address: counterparty.address ?? null, url: counterparty.url ?? null },
    typeConfig: snapshot.typeConfig ?? {},
    policy: effectivePolicy(type, snapshot.policyFlags ?? {}),
  });
}

/** The law that the purposes of a CONSENT template are asked for under. */
export const jurisdictionOf = ({ typeConfig }: Terms): string | null =>
  typeof typeConfig.jurisdiction === "string" ? typeConfig.jurisdiction : null;

/** How the terms of a template differ where it is shown. */
export interface TermsChanges {
  /** Flags of a deployment. */
  readonly policy?: JsonObject | undefined;
  /** The purposes that are asked for; all when absent. */
  readonly purposes?: readonly string[] | undefined;
  /** Whom the user contracts with. */
  readonly counterpartyName?: string | undefined;
}

export function adaptTerms(kept: KeptTerms, changes: TermsChanges): KeptTerms {
  const { policy, purposes, counterpartyName } = changes;
  if (policy === undefined && purposes === undefined && counterpartyName === undefined) return kept;
  const { terms } = kept;
  const counterparty = terms.counterparty ?? { legalName: "", address: null, url: null };
  const asked = objectsIn(terms.typeConfig.purposes).filter(({ key }) => purposes?.includes(String(key)));
  return keepTerms({
    ...terms,
    policy: { ...terms.policy, ...policy },
    ...(purposes === undefined ? {} : { typeConfig: { ...terms.typeConfig, purposes: asked } }),
    ...(counterpartyName === undefined ? {} : { counterparty: { ...counterparty, legalName: counterpartyName } }),
  });
}

/** Reads terms that were stored as text. */
export const parseTerms = (text: string): KeptTerms => keepTerms(JSON.parse(text) as Terms);

const templateTypes: Partial<Record<WireType, TemplateType>> = {
  [WireType.STATIC]: "STATIC",
  [WireType.GENERATED]: "GENERATED",
  [WireType.CONSENT]: "CONSENT",
};

function keepTerms(terms: Terms): KeptTerms {
  const text = canonicalJson(terms);
  return {
    terms,
    text,
    hash: createHash("sha256").update(text).digest(),
    policyHash: sha256Label(canonicalJson(terms.policy)),
    purposes: purposesOf(terms),
  };
}

function purposesOf(terms: Terms): ReadonlyMap<string, Purpose> {
  if (terms.type !== "CONSENT") return new Map();
  const purposes = objectsIn(terms.typeConfig.purposes);
  return new Map(
    purposes.map((purpose) => [
      String(purpose.key),
      {
        required: purpose.required === true,
        saleOrShare: purpose.saleOrShare === true,
        legalBasis: typeof purpose.legalBasis === "string" ? purpose.legalBasis : "CONSENT",
        expiresAfterDays: daysOf(purpose.expiresAfterDays) ?? terms.policy.consentExpiresAfterDays,
      },
    ]),
  );
}

const daysOf = (value: JsonValue | undefined): number | undefined =>
  typeof value === "number" && value > 0 && value <= 36_500 ? value : undefined;

const objectsIn = (value: JsonValue | undefined): JsonObject[] =>
  (Array.isArray(value) ? value : []).filter(
    (item): item is JsonObject => typeof item === "object" && item !== null && !Array.isArray(item),
  );
