import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { PersonalKind } from "#api/personal-data.ts";
import {
  type PersonalDataService,
  PersonalItemOutcome,
  type PersonalItemSchema,
  type Person as PersonMessage,
} from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { Agreement, Purge } from "../agreement/agreement.ts";
import { emailKey } from "../agreement/agreement-records.ts";
import { loadAgreement, loadDeleted } from "../agreement/agreement-store.ts";
import { digestOfErased } from "../agreement/audit-chain.ts";
import { listAuditEvents } from "../agreement/audit-store.ts";
import { type AuditEntry, changeTo } from "../agreement/change.ts";
import { decisionContext } from "../agreement/context.ts";
import { eraseFiles } from "../agreement/file-store.ts";
import { emailIndex, listSubjectKeys, subjectIndex } from "../agreement/subject-keys.ts";
import { writeChange } from "../agreement/write-change.ts";
import type { SignDeps } from "../deps.ts";
import { insertActs } from "../retention/acts.ts";
import { keptUntil } from "../retention/due.ts";
import { isHeld } from "../retention/holds.ts";
import { shareRules } from "../retention/periods.ts";
import { eraseFromBulk, findBulk } from "./bulk-erasure.ts";
import {
  eraseBeside,
  eraseEvents,
  eraseSeeds,
  findAgreements,
  findBeside,
  findReport,
  insertReport,
  lockAgreement,
  noteErasure,
  type StartedErasure,
  setDeleted,
  type Window,
} from "./erasure-store.ts";
import {
  type ErasureItem,
  type ErasurePlan,
  type FoundAgreement,
  type Part,
  planErasure,
  recipientsOf,
} from "./plan-erasure.ts";

type ErasureDeps = Pick<
  SignDeps,
  "eraserPool" | "vault" | "codes" | "files" | "clock" | "newId" | "organizations" | "wakeJobs" | "wakeRelay" | "mail"
>;

/** How long a call begins something new, in milliseconds. */
const budgetMs = 2_000;

export const personalData = (
  deps: ErasureDeps,
): Pick<ServiceImpl<typeof PersonalDataService>, "findPerson" | "erasePerson"> => ({
  findPerson({ person, cursor }, context) {
    const erasure = erasureOf(deps, requireCaller(context), { person, erasureId: nobody, ground: "" });
    return onePage(deps, { ...erasure, isDry: true }, cursor);
  },
  async erasePerson({ person, erasureId, ground, cursor }, context) {
    const erasure = erasureOf(deps, requireCaller(context), { person, erasureId: erasureId.toLowerCase(), ground });
    const isNoted = await withOrg(deps.eraserPool, erasure.caller.orgId, (tenant) => noteErasure(tenant, erasure));
    if (!isNoted) throw new DomainError("IDEMPOTENCY_KEY_REUSED");
    const page = await onePage(deps, erasure, cursor);
    if (page.items.length > 0) {
      deps.wakeJobs();
      deps.wakeRelay();
    }
    return page;
  },
});

/** No erasure has it. */
const nobody = "00000000-0000-0000-0000-000000000000";

async function onePage(deps: ErasureDeps, erasure: Erasure, cursor: string): Promise<Page> {
  const within = <T>(work: (tenant: Tenant) => Promise<T>): Promise<T> =>
    withOrg(deps.eraserPool, erasure.caller.orgId, work);
  const items: Item[] = [];
  if (cursor === "") {
    for (const bulk of await within((tenant) => findBulk(tenant, erasure.person, erasure.erasureId))) {
      const work = async (tenant: Tenant) => {
        await shareRules(tenant);
        const held = await isHeld(tenant, deps.vault, erasure.person);
        return eraseFromBulk(tenant, bulk, erasure.person, { isDry: erasure.isDry, isHeld: held });
      };
      items.push(...messagesOf(bulk.id, await within((tenant) => onceReported(tenant, erasure, bulk.id, work))));
    }
  }
  const startedAt = performance.now();
  let next: string | undefined = cursor;
  while (next !== undefined && performance.now() - startedAt < budgetMs) {
    const after: string = next;
    const window: Window = await within((tenant) => findAgreements(tenant, erasure, after));
    for (const id of window.found) {
      const work = (tenant: Tenant) => eraseFromAgreement(deps, tenant, erasure, id);
      items.push(...messagesOf(id, await within((tenant) => onceReported(tenant, erasure, id, work))));
    }
    next = window.next;
  }
  return { items, nextCursor: next ?? "" };
}

type Item = MessageInitShape<typeof PersonalItemSchema>;
interface Page {
  readonly items: Item[];
  readonly nextCursor: string;
}

interface Erasure extends StartedErasure {
  readonly isDry: boolean;
  readonly caller: Caller;
}

function erasureOf(
  { vault, clock }: ErasureDeps,
  caller: Caller,
  asked: { readonly person: PersonMessage | undefined; readonly erasureId: string; readonly ground: string },
): Erasure {
  const { person: { email: address, userRef } = { email: "", userRef: "" }, erasureId, ground } = asked;
  const email = emailKey(address.trim());
  const indexes = {
    emailIndex: emailIndex(vault, caller.orgId, email),
    userIndex: subjectIndex(vault, caller.orgId, "user", userRef),
  };
  const person = { email, userRef, ...indexes };
  const { clientId, requestId } = caller;
  return { ...{ erasureId, person, ground, isDry: false, caller, clientId, requestId }, now: clock.now() };
}

/** What was reported before is answered again; nothing is done twice. */
async function onceReported(
  tenant: Tenant,
  erasure: Erasure,
  targetId: string,
  work: (tenant: Tenant) => Promise<readonly ErasureItem[]>,
): Promise<readonly ErasureItem[]> {
  if (erasure.isDry) return work(tenant);
  const reported = await findReport(tenant, erasure.erasureId, targetId);
  if (reported !== undefined) return reported;
  const items = await work(tenant);
  if (items.length > 0 && (await insertReport(tenant, erasure, targetId, items))) return items;
  // Another process was faster with the same erasure: this one waited for it, and found little.
  return (await findReport(tenant, erasure.erasureId, targetId)) ?? items;
}

async function eraseFromAgreement(
  deps: ErasureDeps,
  tenant: Tenant,
  erasure: Erasure,
  id: string,
): Promise<readonly ErasureItem[]> {
  const { person, isDry } = erasure;
  // Holds and longer periods that were answered before are seen, and others wait.
  await shareRules(tenant);
  const { deletedAt } = await lockAgreement(tenant, id);
  const agreement = await (deletedAt === null ? loadAgreement : loadDeleted)(tenant, id);
  if (agreement === undefined) throw new Error(`agreement ${id} is locked`);
  const keys = await listSubjectKeys(tenant, id);
  const events = await listAuditEvents(tenant, deps.vault, id);
  const recipientIds = recipientsOf(agreement, person).map((one) => one.id);
  const beside = await findBeside(tenant, id, recipientIds, person);
  const held = await isHeld(tenant, deps.vault, { ...person, agreementId: id });
  const until = await keptUntil(tenant, id, erasure.now);
  const found = { agreement, keys, events, beside, deletedAt, recipientIds, isHeld: held, keptUntil: until };
  const plan = planErasure(found, person, erasure.now);
  if (plan.erases && !isDry) await write(deps, tenant, erasure, found, plan);
  return plan.items;
}

/** The agreement is locked: nobody signs, sends or completes it meanwhile. */
async function write(
  deps: ErasureDeps,
  tenant: Tenant,
  { erasureId, ground, person, caller, now }: Erasure,
  found: FoundAgreement & { readonly deletedAt: Date | null; readonly recipientIds: readonly string[] },
  { agreement, keyIds, events, erasesFiles }: ErasurePlan,
): Promise<void> {
  const { id, audit } = found.agreement;
  const sequences = events.map(({ sequence }) => sequence);
  await eraseSeeds(tenant, id, keyIds);
  const left = await eraseEvents(tenant, id, events);
  await eraseBeside(tenant, id, found.recipientIds, person, found.beside);
  const replaced = { events: sequences, sha256: digestOfErased(id, left, sequences) };
  const details = { erasureId, ground, keys: keyIds, ...(left.length === 0 ? {} : { replaced }) };
  const { actor } = decisionContext(deps, caller, undefined);
  const purged = purgedWith(agreement, now);
  const stated: AuditEntry[] = [
    { action: "agreement.erased", actor, details },
    ...(erasesFiles ? [{ action: "agreement.purged" as const, actor, details: { purge: purged.state } }] : []),
  ];
  const change = changeTo(erasesFiles ? { ...agreement, modifiedAt: now, purge: purged } : agreement, {
    audit: stated,
    jobs: stated.map((_, index) => {
      const erasure = audit.count + 1 + index;
      return { kind: "evidence", key: `${id}:${erasure}`, runAt: now, payload: { agreementId: id, erasure } };
    }),
  });
  if (found.deletedAt !== null) await setDeleted(tenant, id, null);
  await writeChange(deps, tenant, caller, { before: found.agreement, change, bytes: new Map() });
  if (erasesFiles) {
    await eraseFiles(tenant, deps.files, found.agreement);
    const act = { id: deps.newId(), at: now, action: "agreement.purged", subjectId: id } as const;
    const { clientId, requestId } = caller;
    await insertActs(tenant, [{ ...act, actor: clientId, details: { purge: purged.state, erasureId }, requestId }]);
  }
  if (found.deletedAt !== null) await setDeleted(tenant, id, found.deletedAt);
}

/** As after a purge that somebody asked for. One that takes more than files still takes it when its time comes. */
const purgedWith = ({ purge }: Agreement, now: Date): Purge => ({
  state: purge?.state === "documents_and_metadata_queued" ? purge.state : "documents_purged",
  requestedAt: purge?.requestedAt ?? now.toISOString(),
  purgedAt: now.toISOString(),
});

const messagesOf = (targetId: string, items: readonly ErasureItem[]): Item[] =>
  items.map(({ part, name = "", kept = "", until }) => ({
    ...{ kind: kinds[part], targetId, name, count: 1, keptBecause: kept },
    outcome: kept === "" ? PersonalItemOutcome.ERASED : PersonalItemOutcome.KEPT,
    ...(until === undefined ? {} : { keptUntil: timestampFromDate(new Date(until)) }),
  }));

const kinds: Readonly<Record<Part, PersonalKind>> = {
  TRAIL: "agreement.trail",
  TRAIL_FORMAT_1: "agreement.trail-format-1",
  TRAIL_OF_OTHERS: "agreement.trail-of-others",
  RECIPIENT: "agreement.recipient",
  SIGNATURE: "agreement.signature",
  TAB_VALUES: "agreement.tab-values",
  MAIL: "agreement.mails",
  LINKS: "agreement.links",
  SENDER: "agreement.sender",
  FREE_TEXT: "agreement.text",
  ATTACHMENT_NAMES: "agreement.attachment-names",
  FILES: "agreement.files",
  RETRY_KEY: "agreement.retry-key",
  EVENTS: "agreement.events",
  BULK_LIST: "bulk.list",
  BULK_BATCH: "bulk.batch",
};
