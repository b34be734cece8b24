import type { JsonValue } from "@bufbuild/protobuf";
import type pg from "pg";
import { daysAfter } from "#platform/clock.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import type { LeafPayload } from "../log/leaf.ts";
import type { CurrentTemplate } from "../terms/agreement.ts";
import { type TemplateSource, templateKey } from "../terms/template-source.ts";
import { findPersonTerms, type PersonReceipt, type RecordTerms } from "./person-store.ts";

/** A record that only administrators may open until it is erased. */
export interface Restriction {
  readonly recordId: string;
  readonly until: Date;
}

/** The part of a person's record that matters for erasure. */
export interface PlannedRecord {
  readonly recordId: string;
  /** Null when it need not be kept. */
  readonly keepUntil: Date | null;
  readonly restrictedUntil: Date | null;
}

export interface ErasurePlan {
  readonly erase: readonly string[];
  /** Records to restrict now, or for longer than before. */
  readonly restrict: readonly Restriction[];
  /** Records that were restricted before and stay so. */
  readonly restricted: readonly Restriction[];
  /** False when the limit did not cover everything. */
  readonly complete: boolean;
}

/** Records that must be kept are restricted until then (GDPR art. 17(3) and 18); everything else is erased. */
export function planErasure(records: readonly PlannedRecord[], now: Date, room: number): ErasurePlan {
  const erase: string[] = [];
  const restrict: Restriction[] = [];
  const restricted: Restriction[] = [];
  for (const { recordId, keepUntil, restrictedUntil } of records) {
    const isKept = keepUntil !== null && keepUntil > now;
    if (!isKept) erase.push(recordId);
    else if (restrictedUntil !== null && restrictedUntil >= keepUntil) {
      restricted.push({ recordId, until: restrictedUntil });
    } else restrict.push({ recordId, until: keepUntil });
  }
  return {
    erase: erase.slice(0, room),
    restrict: restrict.slice(0, Math.max(0, room - erase.length)),
    restricted,
    complete: erase.length + restrict.length <= room,
  };
}

/** A receipted record of a person. */
export interface KeptReceipt {
  readonly receiptId: string;
  /** When its retention begins. */
  readonly since: Date;
  /** 0 when it need not be kept. */
  readonly retentionDays: number;
  readonly restrictedUntil: Date | null;
}

/** A restricted record stays restricted for exactly the time set originally. */
export const plannedReceipt = (receipt: KeptReceipt): PlannedRecord => ({
  recordId: receipt.receiptId,
  keepUntil: receipt.restrictedUntil ?? daysAfter(receipt.since, receipt.retentionDays),
  restrictedUntil: receipt.restrictedUntil,
});

const maxAttempts = 4;

/** Deadlock and serialization failure: nothing was written, and a retry will usually succeed. */
const retriedStates: readonly unknown[] = ["40P01", "40001"];

/** Runs a transaction again when it collided with another one. */
export async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === maxAttempts || !retriedStates.includes((error as { code?: unknown }).code)) throw error;
    }
  }
}

export interface RulesDeps {
  /** Acts for one organization at a time. */
  readonly pool: pg.Pool;
  readonly templates: TemplateSource;
}

/** The retention rules for a person's records. */
export interface ErasureRules {
  /** Undefined for a receipt whose rules were not looked up. */
  retentionDays(receipt: Pick<PersonReceipt, "templateId" | "termsHash">): number | undefined;
}

/**
 * The rules for a person's records; undefined when there are none. An acceptance is kept as long as its own
 * terms require, a consent change as long as its template requires now. Throws CLICK_LEGAL_HOLD when a template
 * is on hold now, or was when a record was made.
 */
export async function findRules(
  { pool, templates }: RulesDeps,
  orgId: OrgId,
  subjectIndex: Buffer,
): Promise<ErasureRules | undefined> {
  const terms = await withOrg(pool, orgId, (tenant) => findPersonTerms(tenant, subjectIndex));
  if (terms.length === 0) return undefined;
  const current = await findCurrent(templates, orgId, terms);
  requireNoHold(terms, current);
  const days = new Map(terms.map((one) => [keyOf(one), retentionOf(one, current)]));
  return { retentionDays: (receipt) => days.get(keyOf(receipt)) };
}

const keyOf = ({ templateId, termsHash }: Pick<RecordTerms, "templateId" | "termsHash">): string =>
  `${templateId ?? ""} ${termsHash ?? ""}`;

export type CurrentTemplates = ReadonlyMap<string, CurrentTemplate>;

/** The batch limit of the templates service. */
const resolvedAtOnce = 256;

/** The current state of these records' templates, by id; deleted ones are missing. */
export async function findCurrent(
  templates: TemplateSource,
  organizationId: OrgId,
  terms: readonly Pick<RecordTerms, "templateId">[],
): Promise<CurrentTemplates> {
  const ids = [...new Set(terms.flatMap(({ templateId }) => templateId ?? []))];
  const current = new Map<string, CurrentTemplate>();
  for (let start = 0; start < ids.length; start += resolvedAtOnce) {
    const names = ids.slice(start, start + resolvedAtOnce).map((value) => nameOf(organizationId, value));
    const found = await templates.resolve(names);
    for (const name of names) {
      const template = found.get(templateKey(name));
      if (template !== undefined) current.set(name.template.value, template);
    }
  }
  return current;
}

const nameOf = (organizationId: OrgId, value: string) => ({
  organizationId,
  template: { case: "templateId" as const, value },
});

const policyOf = (
  templateId: string | null,
  current: CurrentTemplates,
): Readonly<Record<string, JsonValue | undefined>> => current.get(templateId ?? "")?.terms.terms.policy ?? {};

export const isHeld = ({ templateId, legalHold }: RecordTerms, current: CurrentTemplates): boolean =>
  legalHold || policyOf(templateId, current).legalHold === true;

function requireNoHold(terms: readonly RecordTerms[], current: CurrentTemplates): void {
  const held = terms.filter((one) => isHeld(one, current)).map(({ templateId }) => templateId ?? "");
  if (held.length === 0) return;
  const details = [...new Set(held)].sort().map((templateId) => ({
    field: templateId,
    code: "LEGAL_HOLD",
    message: `the template ${current.get(templateId)?.terms.terms.slug ?? templateId} holds records of this person`,
  }));
  throw new DomainError("CLICK_LEGAL_HOLD", { details });
}

/** For how many days the terms of a record demand that it is kept; 0 when they do not. */
export function retentionOf({ templateId, termsHash, retentionDays }: RecordTerms, current: CurrentTemplates): number {
  if (termsHash !== null) return retentionDays;
  const days = policyOf(templateId, current).retentionDays;
  return typeof days === "number" && days > 0 ? days : 0;
}

export const erasureReasons = ["DATA_SUBJECT_REQUEST", "WITHDRAWAL", "RETENTION_OVER", "OTHER"] as const;
export type ErasureReason = (typeof erasureReasons)[number];

/** Why a record is kept: for the establishment, exercise or defence of legal claims. */
export const retentionBasis = "GDPR_17_3_E";

/** The log leaf of an erasure: ids of records, without saying whose they were. */
interface ErasureLeaf extends LeafPayload {
  readonly kind: "click.erasure";
  /** The erasure's id. */
  readonly eid: string;
  readonly receipts: readonly string[];
  readonly sessions: readonly string[];
  readonly restricted: readonly string[];
  readonly kept: readonly { readonly rid: string; readonly basis: string }[];
  readonly reason: ErasureReason;
  readonly requestedAt: string;
}

/** The ids of the records that an erasure affected. */
interface ErasureNames {
  readonly receipts: readonly string[];
  readonly sessions: readonly string[];
  readonly restricted: readonly string[];
}

interface ErasureFacts {
  readonly issuer: string;
  readonly organizationId: string;
  readonly erasureId: string;
  readonly reason: ErasureReason;
  readonly requestedAt: Date;
}

export const erasureLeaf = (facts: ErasureFacts, { receipts, sessions, restricted }: ErasureNames): ErasureLeaf => ({
  v: 1,
  kind: "click.erasure",
  iss: facts.issuer,
  org: facts.organizationId,
  eid: facts.erasureId,
  receipts,
  sessions,
  restricted,
  kept: restricted.map((rid) => ({ rid, basis: retentionBasis })),
  reason: facts.reason,
  requestedAt: facts.requestedAt.toISOString(),
});

/** The limit of ids in one leaf or event, so that none gets too large for its readers. */
const maxNames = 1_000;

/** Splits the ids into portions, each for one leaf and one event. */
export function portionsOf(names: ErasureNames, size = maxNames): ErasureNames[] {
  const all = (["receipts", "sessions", "restricted"] as const).flatMap((list) =>
    names[list].map((id) => ({ list, id })),
  );
  const portions: ErasureNames[] = [];
  for (let start = 0; start < all.length; start += size) {
    const portion = all.slice(start, start + size);
    const of = (list: keyof ErasureNames) => portion.filter((name) => name.list === list).map((name) => name.id);
    portions.push({ receipts: of("receipts"), sessions: of("sessions"), restricted: of("restricted") });
  }
  return portions;
}

/** The ids of what was erased and restricted. */
export const erasureNames = (
  erased: {
    readonly receiptIds: readonly string[];
    readonly sessionIds: readonly string[];
    readonly changeIds: readonly string[];
  },
  restrictions: readonly Restriction[],
): ErasureNames => ({
  receipts: [...erased.receiptIds, ...erased.changeIds],
  sessions: erased.sessionIds,
  restricted: restrictions.map(({ recordId }) => recordId),
});
