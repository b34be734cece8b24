import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { PersonalKind } from "#api/personal-data.ts";
import {
  type Person,
  type PersonalDataService,
  PersonalItemOutcome,
  type PersonalItemSchema,
} from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { answerOnce, heldItem } from "#platform/db/erasure-answers.ts";
import { shareHolds } from "#platform/db/hold-marks.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import type { OldRecords } from "#platform/destroy-tables.ts";
import { schema } from "../store/orm.ts";
import {
  clearDocument,
  countOldDocuments,
  findDocuments,
  findPresentDocuments,
  findRetryKeys,
  lockOldDocument,
  type SoughtPerson,
  windowOfOldDocuments,
} from "../store/person-store.ts";
import type { DocgenDeps } from "./deps.ts";
import { removeDocument } from "./documents.ts";

type Deps = Pick<DocgenDeps, "pool" | "blobs" | "workLoop" | "clock" | "newId" | "wakeRelay">;
type Item = MessageInitShape<typeof PersonalItemSchema> & { readonly kind: PersonalKind; readonly targetId: string };
interface Page {
  readonly items: Item[];
  readonly nextCursor: string;
}

/**
 * Documents are found by what is said of them: their data while they wait, metadata, names, what went wrong. What stands
 * in a finished PDF alone is not searched.
 */
export const personalData = (
  deps: Deps,
): Pick<ServiceImpl<typeof PersonalDataService>, "findPerson" | "erasePerson"> => ({
  findPerson: ({ person, cursor }, context) =>
    withOrg(deps.pool, requireCaller(context).orgId, (tenant) => findPage(tenant, person, cursor)),
  async erasePerson({ person, erasureId, cursor, isHeld, holdMark }, context) {
    const caller = requireCaller(context);
    const { orgId } = caller;
    const page = await withOrg(deps.pool, orgId, (tenant) =>
      answerOnce(tenant, { schema: "docgen", erasureId, cursor, isHeld }, (within) => findPage(within, person, cursor)),
    );
    if (isHeld) return withOrg(deps.pool, orgId, (tenant) => keepLeft(tenant, page, person, cursor));
    // Documents are deleted after this note, again each time it is asked for. A hold that was set meanwhile keeps them.
    for (const { kind, targetId } of page.items) if (kind === erasedKind) await erase(deps, caller, targetId, holdMark);
    if (page.items.length > 0) deps.wakeRelay();
    return page;
  },
});

/** Documents go when the period of their organization is over, with what is said of them: ids and times stay. */
export const oldDocuments = (deps: Deps): OldRecords => ({
  count: countOldDocuments,
  window: windowOfOldDocuments,
  placeOf: ({ id }) => id,
  present: findPresentDocuments,
  remove: async (caller, ids, before, holdMark) => {
    for (const id of ids) {
      const now = deps.clock.now();
      await withOrg(deps.pool, caller.orgId, async (tenant) => {
        await shareHolds(tenant, schema, holdMark);
        if (!(await lockOldDocument(tenant, id, before))) return;
        await removeDocument(deps, tenant, { caller, id, now });
        await clearDocument(tenant, id, now);
      });
    }
  },
});

const erasedKind: PersonalKind = "document";

/** Of what was noted before there was a hold, whatever had not been erased yet is kept. */
async function keepLeft(tenant: Tenant, page: Page, person: Person | undefined, cursor: string): Promise<Page> {
  const { items } = await findPage(tenant, person, cursor);
  const left = new Set(items.filter(({ kind }) => kind === erasedKind).map(({ targetId }) => targetId));
  return { ...page, items: page.items.map((one) => (left.has(one.targetId) ? heldItem(one) : one)) };
}

async function erase(deps: Deps, caller: Caller, id: string, holdMark: number): Promise<void> {
  const now = deps.clock.now();
  await withOrg(deps.pool, caller.orgId, async (tenant) => {
    await shareHolds(tenant, schema, holdMark);
    await removeDocument(deps, tenant, { caller, id, now });
    await clearDocument(tenant, id, now);
  });
  deps.workLoop.drop(id);
}

async function findPage(tenant: Tenant, asked: Person | undefined, cursor: string): Promise<Page> {
  const person = soughtOf(asked);
  const { found, next } = await findDocuments(tenant, person, cursor);
  const keys = next === undefined ? await findRetryKeys(tenant, person.email) : [];
  const kept = { outcome: PersonalItemOutcome.KEPT, keptBecause: "REPEATABLE" };
  return {
    items: [
      ...found.map((id) => ({ ...item(erasedKind, id), outcome: PersonalItemOutcome.ERASED })),
      ...keys.map((id) => ({ ...item("document.retry-key", id), ...kept })),
    ],
    nextCursor: next ?? "",
  };
}

const item = (kind: PersonalKind, targetId: string) => ({ kind, targetId, count: 1 });

const soughtOf = (
  { email, userRef }: Pick<Person, "email" | "userRef"> = { email: "", userRef: "" },
): SoughtPerson => ({
  email: email.trim().toLowerCase(),
  userRef,
});
