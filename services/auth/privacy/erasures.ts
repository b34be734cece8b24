import { fromJson, type MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { recordsOf } from "#api/records.ts";
import { ErasureSchema, type ErasureService, ErasureStatus } from "#gen/assent/auth/v1/erasures_pb.ts";
import { type PersonalItemJson, PersonalItemSchema } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { unknownCursor } from "#platform/cursor.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import type { AuthDeps } from "../rpc/deps.ts";
import { type AskDeps, askNext, findPersonHold, type Place } from "./ask-holders.ts";
import { findErasure, insertErasure, listErasures, readPages, type StoredErasure } from "./erasure-store.ts";
import { holderNames } from "./holders.ts";
import { accountItems, eraseAccounts, eraseTrail, type PersonalItemShape } from "./own-people.ts";
import { erasureHash, type SoughtPerson, sealPerson, soughtPerson } from "./person.ts";

type Deps = AskDeps & Pick<AuthDeps, "people" | "eraserPool" | "clock" | "newId" | "keys" | "wakeErasures">;

const usualLimit = 100;
const usualGround = "GDPR_17";
/** Of a report in one answer; a page has what a service answered at once. */
const maxItems = 1_000;
const maxPages = 100;

export const erasures = (deps: Deps): ServiceImpl<typeof ErasureService> => ({
  async searchPerson({ cursor, ...person }, context) {
    const caller = requireCaller(context);
    const sought = soughtPerson(person);
    const place = readPlace(deps, caller, sought, cursor);
    const name = holderNames[place.step];
    if (name === undefined) return { items: await findOwn(deps, caller, sought), nextCursor: "" };
    const { items, next } = await askNext(deps, caller, sought, name, place, undefined);
    return { items: items.map(messageOf), nextCursor: cursorOf(deps, caller, sought, next) };
  },

  async createErasure({ dryRun, ground: asked, idempotencyKey, ...person }, context) {
    const { orgId, clientId, requestId } = requireCaller(context);
    const { keys, clock, newId } = deps;
    const [id, sought, ground] = [newId(), soughtPerson(person), asked || usualGround];
    const erasure = await withOrg(deps.people, orgId, async (tenant) => {
      const made = await insertErasure(tenant, {
        ...{ id, ground, isDry: dryRun, askedBy: clientId, requestId, createdAt: clock.now() },
        keyHash: idempotencyKey === "" ? null : erasureHash(keys, orgId, "key", idempotencyKey),
        requestHash: erasureHash(keys, orgId, "request", sought.email, sought.userRef, ground, String(dryRun)),
        sealedPerson: sealPerson(keys, sought, id),
      });
      if (made === undefined) throw new DomainError("IDEMPOTENCY_KEY_REUSED");
      return findErasure(tenant, made);
    });
    deps.wakeErasures();
    return { erasure: erasure && erasureMessage(erasure) };
  },

  async getErasure({ id, cursor }, context) {
    const { orgId } = requireCaller(context);
    const from = cursor === "" ? 0 : readNumber(cursor);
    return withOrg(deps.people, orgId, async (tenant) => {
      const erasure = await findErasure(tenant, id);
      if (erasure === undefined) throw new DomainError("ERASURE_NOT_FOUND");
      const items: PersonalItemJson[] = [];
      let next = from;
      const pages = await readPages(tenant, id, { from, limit: maxPages + 1 });
      for (const { page, items: more } of pages.slice(0, maxPages)) {
        if (items.length > 0 && items.length + more.length > maxItems) break;
        items.push(...more);
        next = page + 1;
      }
      const hasMore = pages.some(({ page }) => page >= next);
      return { erasure: erasureMessage(erasure), items: items.map(messageOf), nextCursor: hasMore ? String(next) : "" };
    });
  },

  // Releases before this one call it when a hold is set; what they waited for, setting a hold waits for by itself.
  awaitErasures(_request, context) {
    requireCaller(context);
    return {};
  },

  async listErasures({ limit: asked, cursor }, context) {
    const { orgId } = requireCaller(context);
    if (cursor !== "" && !isUuid(cursor)) throw unknownCursor();
    const limit = asked || usualLimit;
    const page = { before: cursor || null, limit: limit + 1 };
    const found = await withOrg(deps.people, orgId, (tenant) => listErasures(tenant, page));
    const shown = found.slice(0, limit);
    return { erasures: shown.map(erasureMessage), nextCursor: found.length > limit ? (shown.at(-1)?.id ?? "") : "" };
  },
});

async function findOwn(deps: Deps, caller: Caller, person: SoughtPerson): Promise<PersonalItemShape[]> {
  const hold = await findPersonHold(deps, caller, person);
  const own = await withOrg(deps.people, caller.orgId, (tenant) =>
    eraseAccounts(deps, tenant, person, { ...hold, erases: false }),
  );
  const lines = await withOrg(deps.eraserPool, caller.orgId, (tenant) =>
    eraseTrail(tenant, person, own, { ...hold, erases: false }),
  );
  return [...accountItems(own), ...lines];
}

/** Services take what they gave alone: nobody else can make one. Nothing at its end is lost in a header, as a space would be. */
function cursorOf({ keys }: Deps, { orgId }: Caller, { email, userRef }: SoughtPerson, { step, position }: Place) {
  const place = `${step}:${position}`;
  const proof = erasureHash(keys, orgId, "search", email, userRef, place).toString("base64url").slice(0, 22);
  return `${proof}:${place}`;
}

function readPlace(deps: Deps, caller: Caller, sought: SoughtPerson, cursor: string): Place {
  if (cursor === "") return { step: 0, position: "" };
  const [, step = "", ...rest] = cursor.split(":");
  const place = { step: Number(step), position: rest.join(":") };
  if (cursorOf(deps, caller, sought, place) !== cursor) throw unknownCursor();
  return place;
}

function readNumber(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw unknownCursor();
  return Number(text);
}

const messageOf = (item: PersonalItemJson) => fromJson(PersonalItemSchema, item);

const records = recordsOf(ErasureSchema, { status: ErasureStatus });

const erasureMessage = (erasure: StoredErasure): MessageInitShape<typeof ErasureSchema> => {
  const status = erasure.completedAt === null ? "RUNNING" : "COMPLETED";
  return records.write({ ...erasure, dryRun: erasure.isDry, createdBy: erasure.askedBy, status });
};
