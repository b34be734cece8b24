import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  type ErasePersonRequest,
  type ErasureItemSchema,
  ErasureKept,
  ErasureOutcome,
  ErasurePart,
} from "#gen/assent/sign/v1/erasure_pb.ts";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { emailKey } from "../agreement/agreement-records.ts";
import { loadAgreement, loadDeleted } from "../agreement/agreement-store.ts";
import { digestOfErased } from "../agreement/audit-chain.ts";
import { listAuditEvents } from "../agreement/audit-store.ts";
import { changeTo } from "../agreement/change.ts";
import { decisionContext } from "../agreement/context.ts";
import { emailIndex, listSubjectKeys, subjectIndex } from "../agreement/subject-keys.ts";
import { writeChange } from "../agreement/write-change.ts";
import type { SignDeps } from "../deps.ts";
import { isHeld } from "../retention/holds.ts";
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
import { type ErasureItem, type ErasurePlan, type FoundAgreement, planErasure, recipientsOf } from "./plan-erasure.ts";

type ErasureDeps = Pick<
  SignDeps,
  "eraserPool" | "vault" | "files" | "clock" | "newId" | "organizations" | "wakeJobs" | "mail"
>;

/** How long a call begins something new, in milliseconds. */
const budgetMs = 2_000;

export const erasePerson = (deps: ErasureDeps): Pick<ServiceImpl<typeof SignService>, "erasePerson"> => ({
  async erasePerson(request, context) {
    const caller = requireCaller(context);
    const erasure = erasureOf(deps, caller, request);
    const within = <T>(work: (tenant: Tenant) => Promise<T>): Promise<T> =>
      withOrg(deps.eraserPool, caller.orgId, work);
    if (!erasure.isDry && !(await within((tenant) => noteErasure(tenant, erasure)))) {
      throw new DomainError("IDEMPOTENCY_KEY_REUSED");
    }
    const items: MessageInitShape<typeof ErasureItemSchema>[] = [];
    if (request.cursor === "") {
      for (const bulk of await within((tenant) => findBulk(tenant, erasure.person, erasure.erasureId))) {
        const work = async (tenant: Tenant) => {
          const held = await isHeld(tenant, deps.vault, { email: erasure.person.email });
          return eraseFromBulk(tenant, bulk, erasure.person, { isDry: erasure.isDry, isHeld: held });
        };
        items.push(...messagesOf(bulk.id, await within((tenant) => onceReported(tenant, erasure, bulk.id, work))));
      }
    }
    const startedAt = performance.now();
    let next: string | undefined = request.cursor;
    while (next !== undefined && performance.now() - startedAt < budgetMs) {
      const after: string = next;
      const window: Window = await within((tenant) => findAgreements(tenant, erasure, after));
      for (const id of window.found) {
        const work = (tenant: Tenant) => eraseFromAgreement(deps, tenant, erasure, id);
        items.push(...messagesOf(id, await within((tenant) => onceReported(tenant, erasure, id, work))));
      }
      next = window.next;
    }
    if (!erasure.isDry && items.length > 0) deps.wakeJobs();
    return { items, nextCursor: next ?? "" };
  },
});

interface Erasure extends StartedErasure {
  readonly isDry: boolean;
  readonly caller: Caller;
}

function erasureOf({ vault, clock }: ErasureDeps, caller: Caller, request: ErasePersonRequest): Erasure {
  const [email, { userRef, ground, dryRun: isDry }] = [emailKey(request.email.trim()), request];
  const indexes = {
    emailIndex: emailIndex(vault, caller.orgId, email),
    userIndex: subjectIndex(vault, caller.orgId, "user", userRef),
  };
  const person = { email, userRef, ...indexes };
  const { clientId, requestId } = caller;
  const erasureId = request.erasureId.toLowerCase();
  return { ...{ erasureId, person, ground, isDry, caller, clientId, requestId }, now: clock.now() };
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
  if (items.length === 0 || (await insertReport(tenant, erasure, targetId, items))) return items;
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
  const { deletedAt } = await lockAgreement(tenant, id);
  const agreement = await (deletedAt === null ? loadAgreement : loadDeleted)(tenant, id);
  if (agreement === undefined) throw new Error(`agreement ${id} is locked`);
  const keys = await listSubjectKeys(tenant, id);
  const events = await listAuditEvents(tenant, deps.vault, id);
  const recipientIds = recipientsOf(agreement, person).map((one) => one.id);
  const beside = await findBeside(tenant, id, recipientIds, person);
  const held = await isHeld(tenant, deps.vault, { agreementId: id, email: person.email });
  const found = { agreement, keys, events, beside, deletedAt, recipientIds, isHeld: held };
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
  { agreement, keyIds, events }: ErasurePlan,
): Promise<void> {
  const { id, audit } = found.agreement;
  const sequences = events.map(({ sequence }) => sequence);
  await eraseSeeds(tenant, id, keyIds);
  const left = await eraseEvents(tenant, id, events);
  await eraseBeside(tenant, id, found.recipientIds, person, found.beside);
  const replaced = { events: sequences, sha256: digestOfErased(id, left, sequences) };
  const details = { erasureId, ground, keys: keyIds, ...(left.length === 0 ? {} : { replaced }) };
  const { actor } = decisionContext(deps, caller, undefined);
  const erasure = audit.count + 1;
  const change = changeTo(agreement, {
    audit: [{ action: "agreement.erased", actor, details }],
    jobs: [{ kind: "evidence", key: `${id}:${erasure}`, runAt: now, payload: { agreementId: id, erasure } }],
  });
  if (found.deletedAt !== null) await setDeleted(tenant, id, null);
  await writeChange(deps, tenant, caller, { before: found.agreement, change, bytes: new Map() });
  if (found.deletedAt !== null) await setDeleted(tenant, id, found.deletedAt);
}

const messagesOf = (targetId: string, items: readonly ErasureItem[]): MessageInitShape<typeof ErasureItemSchema>[] =>
  items.map(({ part, name = "", kept, until }) => ({
    ...{ targetId, name, part: ErasurePart[part] },
    outcome: kept === undefined ? ErasureOutcome.ERASED : ErasureOutcome.KEPT,
    ...(kept === undefined ? {} : { keptBecause: ErasureKept[kept] }),
    ...(until === undefined ? {} : { keptUntil: timestampFromDate(new Date(until)) }),
  }));
