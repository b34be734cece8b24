import { createHash } from "node:crypto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { PersonalKind } from "#api/personal-data.ts";
import {
  type ErasePersonRequest,
  type Person,
  type PersonalDataService,
  PersonalItemOutcome,
  type PersonalItemSchema,
} from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { spellingsOf } from "#platform/db/address-pattern.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { planPerson } from "./erase-person.ts";
import { defaultMaxRecords, type EraseUserDeps, eraseUser } from "./erase-user.ts";
import { type ErasureReason, findRules } from "./erasure-rules.ts";
import { findErasure } from "./erasure-store.ts";
import { findRecords } from "./person-store.ts";

type Item = MessageInitShape<typeof PersonalItemSchema>;

/**
 * Users are known here by their references alone. The address is one where an organization uses addresses as references;
 * other addresses stand in nothing that is stored in clear.
 */
export const personalData = (
  deps: EraseUserDeps,
): Pick<ServiceImpl<typeof PersonalDataService>, "findPerson" | "erasePerson"> => ({
  async findPerson({ person }, context) {
    const { orgId } = requireCaller(context);
    const items: Item[] = [];
    for (const userRef of referencesOf(person)) items.push(...(await findUser(deps, orgId, userRef)));
    return { items, nextCursor: "" };
  },
  async erasePerson(request, context) {
    const [index = 0, round = 0] = request.cursor === "" ? [] : request.cursor.split(".").map(Number);
    const references = referencesOf(request.person);
    for (let at = index; at < references.length; at += 1) {
      const place = { index: at, round: at === index ? round : 0, userRef: references[at] ?? "" };
      const page = await eraseReference(deps, requireCaller(context), request, place);
      // Most spellings of an address are nobody's: a call goes on to one that is somebody's.
      if (page.items.length > 0 || page.nextCursor !== `${at + 1}.0`) return page;
    }
    return { items: [], nextCursor: "" };
  },
});

interface Place {
  readonly index: number;
  readonly round: number;
  readonly userRef: string;
}

async function eraseReference(
  deps: EraseUserDeps,
  caller: Caller,
  { erasureId, ground, isHeld, holdMark }: ErasePersonRequest,
  { index, round, userRef }: Place,
): Promise<{ items: Item[]; nextCursor: string }> {
  const id = idOf(erasureId.toLowerCase(), index, round);
  const within = <T>(work: Parameters<typeof withOrg<T>>[2]): Promise<T> =>
    withOrg(deps.eraserPool, caller.orgId, work);
  const findDone = () => within((tenant) => findErasure(tenant, id));
  const done = await findDone();
  if (done !== undefined) return { items: itemsOf(done), nextCursor: `${index}.${round + 1}` };
  const next = `${index + 1}.0`;
  if (isHeld) return { items: await heldRecords(deps, caller.orgId, userRef), nextCursor: next };
  try {
    const user = { userRef, reason: reasons[ground] ?? "DATA_SUBJECT_REQUEST", erasureId: id, holdMark } as const;
    const { erasureId: made, complete, erased, restricted } = await eraseUser(deps, caller, user);
    // Another process may have been faster with the same erasure.
    const others = made === null ? await findDone() : undefined;
    if (others !== undefined) return { items: itemsOf(others), nextCursor: `${index}.${round + 1}` };
    const items = itemsOf({
      erased: { receiptIds: erased.receipts, sessionIds: erased.sessions, changeIds: erased.consentChanges },
      campaignIds: erased.campaigns ?? [],
      restricted: restricted.map(({ receiptId, until }) => ({ recordId: receiptId, until })),
    });
    return { items, nextCursor: complete ? next : `${index}.${round + 1}` };
  } catch (error) {
    if (!isHold(error)) throw error;
    return { items: await heldRecords(deps, caller.orgId, userRef), nextCursor: next };
  }
}

const reasons: Readonly<Record<string, ErasureReason>> = { WITHDRAWAL: "WITHDRAWAL", OTHER: "OTHER" };

/** What a person may be called here: by the reference, and by the address as it may be written. */
export const referencesOf = (
  { email, userRef }: Pick<Person, "email" | "userRef"> = { email: "", userRef: "" },
): string[] => [...new Set([userRef, ...spellingsOf(email)])].filter((one) => one !== "");

/** A user's first erasure has the id of the whole; the others have ids that follow from it. */
function idOf(erasureId: string, index: number, round: number): string {
  if (index === 0 && round === 0) return erasureId;
  const bytes = createHash("sha256").update(`${erasureId} ${index}.${round}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

const isHold = (error: unknown): boolean => error instanceof DomainError && error.code === "CLICK_LEGAL_HOLD";

async function findUser(deps: EraseUserDeps, orgId: OrgId, userRef: string): Promise<Item[]> {
  const subjectIndex = deps.vault.subjectIndex(orgId, userRef);
  try {
    const rules = await findRules(deps, orgId, subjectIndex);
    if (rules === undefined) return [];
    const person = { subjectIndex, rules, now: deps.clock.now() };
    const planned = await withOrg(deps.eraserPool, orgId, (tenant) => planPerson(tenant, person, defaultMaxRecords));
    const found = await withOrg(deps.pool, orgId, (tenant) => findRecords(tenant, subjectIndex, defaultMaxRecords));
    const campaigns = found.filter(({ kind }) => kind === "campaign").map(({ id }) => erasedItem("click.campaign", id));
    return [...(planned === undefined ? [] : itemsOf(planned)), ...campaigns];
  } catch (error) {
    if (!isHold(error)) throw error;
    return heldRecords(deps, orgId, userRef);
  }
}

async function heldRecords({ pool, vault }: EraseUserDeps, orgId: OrgId, userRef: string): Promise<Item[]> {
  const subjectIndex = vault.subjectIndex(orgId, userRef);
  const found = await withOrg(pool, orgId, (tenant) => findRecords(tenant, subjectIndex, defaultMaxRecords));
  const held = { outcome: PersonalItemOutcome.KEPT, keptBecause: "LEGAL_HOLD" };
  return found.map(({ kind, id }) => ({
    kind: `click.${kind}` satisfies PersonalKind,
    targetId: id,
    count: 1,
    ...held,
  }));
}

interface Outcome {
  readonly campaignIds?: readonly string[];
  readonly erased: {
    readonly receiptIds: readonly string[];
    readonly sessionIds: readonly string[];
    readonly changeIds: readonly string[];
  };
  readonly restricted: readonly { readonly recordId: string; readonly until: string | Date }[];
}

const erasedItem = (kind: PersonalKind, targetId: string): Item => ({
  ...{ kind, targetId, count: 1, outcome: PersonalItemOutcome.ERASED },
});

function itemsOf({ erased, restricted, campaignIds = [] }: Outcome): Item[] {
  return [
    ...erased.receiptIds.map((id) => erasedItem("click.receipt", id)),
    ...erased.sessionIds.map((id) => erasedItem("click.session", id)),
    ...erased.changeIds.map((id) => erasedItem("click.consent-change", id)),
    ...campaignIds.map((id) => erasedItem("click.campaign", id)),
    ...restricted.map(({ recordId, until }) => ({
      ...erasedItem("click.receipt", recordId),
      ...{ outcome: PersonalItemOutcome.RESTRICTED, keptBecause: "RETENTION" },
      keptUntil: timestampFromDate(new Date(until)),
    })),
  ];
}
