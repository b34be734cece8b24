import type { ServiceImpl } from "@connectrpc/connect";
import type { AuditAction } from "#api/audit-actions.ts";
import { auditActor, auditRecord } from "#api/audit-actions.ts";
import type { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { cursorOf, readCursor, unknownCursor } from "#platform/cursor.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { insertOutbox, type OutboxRecord } from "#platform/outbox/outbox.ts";
import type { ClickDeps } from "../deps.ts";
import { campaignTold } from "../events.ts";
import { currentOffer } from "../stats/stats.ts";
import {
  type Campaign,
  campaignMessage,
  dateOf,
  nextOf,
  peopleUntil,
  requireLater,
  requirePublished,
  ruleOf,
  shownState,
  storedStates,
  type Target,
  targetOf,
  timeOf,
  uuidOf,
} from "./campaign.ts";
import { openPerson, sealPerson } from "./campaign-people.ts";
import {
  addPeople,
  countAdded,
  findCampaign,
  findCampaignByKey,
  insertCampaign,
  listCampaigns,
  listPeople,
  lockCampaign,
  lockCampaigns,
  removePerson,
  updateCampaign,
} from "./campaign-store.ts";

type Deps = Pick<ClickDeps, "pool" | "vault" | "keys" | "clock" | "newId" | "templates" | "wakeRelay">;

const maxOpen = 200;
const maxPeople = 1_000_000;
const usualPage = 100;
const peoplePage = 1_000;

type Handlers = Pick<
  ServiceImpl<typeof ClickService>,
  | "createCampaign"
  | "listCampaigns"
  | "getCampaign"
  | "updateCampaign"
  | "addCampaignPeople"
  | "listCampaignPeople"
  | "removeCampaignPerson"
  | "startCampaign"
  | "cancelCampaign"
  | "deleteCampaign"
>;

export const campaigns = (deps: Deps): Handlers => ({
  async createCampaign({ idempotencyKey, ...request }, context) {
    const caller = requireCaller(context);
    const { orgId } = caller;
    const { clock, keys, newId } = deps;
    const now = clock.now();
    const wish = { ...ruleOf(request.reminders), name: request.name, dueAt: dateOf(request.dueAt) };
    const asked = [request.templateId, request.versionId, request.revision, wish];
    const requestHash = keys.bodyHash(orgId, Buffer.from(JSON.stringify(asked)));
    const keyHash = idempotencyKey === "" ? null : keys.idempotencyHash(orgId, `campaign ${idempotencyKey}`);
    // What was drafted is answered as it is, also once its date has passed or its template is gone.
    const known = await withOrg(deps.pool, orgId, async (tenant) => keyHash && findCampaignByKey(tenant, keyHash));
    if (known) return { campaign: campaignMessage(requireSame(known, requestHash)) };
    requireLater(wish.dueAt, now);
    const templateId = uuidOf(request.templateId, "CLICK_TEMPLATE_NOT_FOUND");
    const offer = await currentOffer(deps, orgId, templateId);
    const target = targetOf(offer, request);
    const campaign = await withOrg(deps.pool, orgId, async (tenant) => {
      const open = await lockCampaigns(tenant);
      const made = keyHash === null ? undefined : await findCampaignByKey(tenant, keyHash);
      if (made !== undefined) return made;
      if (open >= maxOpen) throw new DomainError("CLICK_TOO_MANY_CAMPAIGNS");
      const text = { templateId, versionId: target?.versionId ?? null, revision: target?.revision ?? null };
      const id = newId();
      const added = { ...wish, ...text, id, keyHash, requestHash, createdBy: caller.clientId, createdAt: now };
      await insertCampaign(tenant, added);
      await note(deps, tenant, caller, "campaign.created", id);
      return findCampaign(tenant, id);
    });
    return { campaign: campaignMessage(requireSame(campaign, requestHash)) };
  },

  async listCampaigns({ limit, cursor }, context) {
    const { orgId } = requireCaller(context);
    const size = limit || usualPage;
    const page = { after: readCursor(cursor, "CLICK_VALIDATION_FAILED"), limit: size + 1 };
    const found = await withOrg(deps.pool, orgId, (tenant) => listCampaigns(tenant, page));
    const last = found.length > size ? found[size - 1] : undefined;
    return {
      campaigns: found.slice(0, size).map(campaignMessage),
      nextCursor: last === undefined ? "" : cursorOf({ at: last.createdAt, id: last.id }),
    };
  },

  async getCampaign({ campaignId }, context) {
    const { orgId } = requireCaller(context);
    const id = uuidOf(campaignId);
    return { campaign: campaignMessage(await withOrg(deps.pool, orgId, (tenant) => requireCampaign(tenant, id))) };
  },

  updateCampaign: ({ campaignId, name, dueAt, reminders }, context) =>
    change(deps, requireCaller(context), campaignId, async (tenant, campaign, now) => {
      const isOver = campaign.status === "CANCELLED" || (campaign.peopleUntil !== null && campaign.peopleUntil <= now);
      if (isOver) throw new DomainError("CLICK_CAMPAIGN_CLOSED");
      const due = dueAt === undefined ? campaign.dueAt : requireLater(dateOf(dueAt), now);
      const rule = reminders === undefined ? campaign : ruleOf(reminders);
      const { reminderDays, reminderAt, timeZone } = rule;
      const wish = { ...campaign, name: name ?? campaign.name, dueAt: due, reminderDays, reminderAt, timeZone };
      const isReopened = campaign.status === "ENDED" && dueAt !== undefined;
      if (isReopened && (await lockCampaigns(tenant)) >= maxOpen) throw new DomainError("CLICK_TOO_MANY_CAMPAIGNS");
      const isRunning = isReopened || campaign.status === "RUNNING";
      const changed: Campaign = {
        ...wish,
        ...(isReopened && { status: "RUNNING", endedAt: null, peopleUntil: null }),
        ...(isRunning && { nextAt: nextOf(wish, now) }),
      };
      await updateCampaign(tenant, changed);
      const given = { name, dueAt: dueAt && due.toISOString(), reminders: reminders && "" };
      const fields = Object.entries(given).filter(([, value]) => value !== undefined);
      await note(deps, tenant, requireCaller(context), "campaign.updated", campaign.id, Object.fromEntries(fields));
      return changed;
    }),

  async addCampaignPeople({ campaignId, userRefs }, context) {
    const caller = requireCaller(context);
    const id = uuidOf(campaignId);
    const people = [...new Set(userRefs)].map((userRef) => sealPerson(deps.vault, caller.orgId, id, userRef));
    let added = 0;
    const { campaign } = await change(deps, caller, campaignId, async (tenant, found, now) => {
      const takes = found.status === "DRAFT" || (found.status === "RUNNING" && now < found.dueAt);
      if (!takes) throw new DomainError("CLICK_CAMPAIGN_CLOSED");
      added = await addPeople(tenant, id, people);
      if (added === 0) return found;
      if (found.people + added > maxPeople) throw new DomainError("CLICK_CAMPAIGN_FULL");
      await countAdded(tenant, id, added);
      await note(deps, tenant, caller, "campaign.people-added", id, { count: added });
      return { ...found, people: found.people + added, unchecked: found.unchecked + added };
    });
    return { added, campaign };
  },

  async listCampaignPeople({ campaignId, state, limit, cursor, userRef }, context) {
    const { orgId } = requireCaller(context);
    const size = limit || peoplePage;
    const now = deps.clock.now();
    const id = uuidOf(campaignId);
    if (cursor !== "" && !/^[0-9a-f]{2,128}$/.test(cursor)) throw unknownCursor("CLICK_VALIDATION_FAILED");
    return withOrg(deps.pool, orgId, async (tenant) => {
      const campaign = await requireCampaign(tenant, id);
      const states = storedStates(state, campaign, now);
      if (states === "nobody") return { people: [], nextCursor: "" };
      const only = userRef === undefined ? undefined : deps.vault.subjectIndex(orgId, userRef);
      const after = cursor === "" ? undefined : Buffer.from(cursor, "hex");
      const found = await listPeople(tenant, id, { states, after, only, limit: size + 1 });
      const last = found.length > size ? found[size - 1] : undefined;
      return {
        people: found.slice(0, size).map((person) => ({
          userRef: openPerson(deps.vault, orgId, id, person),
          state: shownState(person.state, campaign, now),
          ...(person.receiptId !== null && { receiptId: person.receiptId }),
          ...(person.decidedAt !== null && { decidedAt: timeOf(person.decidedAt) }),
        })),
        nextCursor: last?.subjectIndex.toString("hex") ?? "",
      };
    });
  },

  async removeCampaignPerson({ campaignId, userRef }, context) {
    const caller = requireCaller(context);
    const index = deps.vault.subjectIndex(caller.orgId, userRef);
    await change(deps, caller, campaignId, async (tenant, campaign, now) => {
      const isOver = campaign.peopleUntil !== null && campaign.peopleUntil <= now;
      if (campaign.status === "CANCELLED" || isOver) throw new DomainError("CLICK_CAMPAIGN_CLOSED");
      if (await removePerson(tenant, campaign.id, index)) {
        await note(deps, tenant, caller, "campaign.people-removed", campaign.id, { count: 1 });
      }
      return campaign;
    });
    return {};
  },

  async startCampaign({ campaignId }, context) {
    const caller = requireCaller(context);
    const id = uuidOf(campaignId);
    const { templateId, versionId, revision } = await withOrg(deps.pool, caller.orgId, (tenant) =>
      requireCampaign(tenant, id),
    );
    const offer = await currentOffer(deps, caller.orgId, templateId);
    const targets = versionId === null || revision === null ? offer.published : [{ versionId, revision }];
    return change(deps, caller, campaignId, async (tenant, campaign, now) => {
      if (campaign.status === "RUNNING") return campaign;
      if (campaign.status !== "DRAFT" || campaign.dueAt <= now) throw new DomainError("CLICK_CAMPAIGN_CLOSED");
      if (campaign.people === 0) throw new DomainError("CLICK_CAMPAIGN_EMPTY");
      requirePublished(offer);
      const named = targets.map((target): Target => ({ versionId: target.versionId, revision: target.revision }));
      const nextAt = nextOf(campaign, now);
      const started: Campaign = { ...campaign, status: "RUNNING", targets: named, startedAt: now, nextAt };
      await updateCampaign(tenant, started);
      await note(deps, tenant, caller, "campaign.started", id);
      return started;
    });
  },

  cancelCampaign: ({ campaignId }, context) => {
    const caller = requireCaller(context);
    return change(deps, caller, campaignId, async (tenant, campaign, now) => {
      if (campaign.status === "CANCELLED") return campaign;
      const until = peopleUntil(now);
      // One that has ended keeps its people no longer than it would have.
      const ended = campaign.status !== "ENDED" && { endedAt: now, peopleUntil: until, nextAt: until };
      const cancelled: Campaign = { ...campaign, ...ended, status: "CANCELLED" };
      await updateCampaign(tenant, cancelled);
      const told = campaignTold({ caller, eventId: deps.newId(), now }, "cancelled", cancelled);
      await note(deps, tenant, caller, "campaign.cancelled", campaign.id, {}, told);
      return cancelled;
    });
  },

  async deleteCampaign({ campaignId }, context) {
    const caller = requireCaller(context);
    await change(deps, caller, campaignId, async (tenant, campaign, now) => {
      if (campaign.status !== "DRAFT") throw new DomainError("CLICK_CAMPAIGN_STARTED");
      const deleted: Campaign = { ...campaign, status: "DELETED", nextAt: now };
      await updateCampaign(tenant, deleted);
      await note(deps, tenant, caller, "campaign.deleted", campaign.id);
      return deleted;
    });
    return {};
  },
});

/** Changes a campaign in one transaction that has it locked. */
async function change(
  deps: Deps,
  { orgId }: Caller,
  campaignId: string,
  work: (tenant: Tenant, campaign: Campaign, now: Date) => Promise<Campaign>,
) {
  const id = uuidOf(campaignId);
  const changed = await withOrg(deps.pool, orgId, async (tenant) => {
    const campaign = await lockCampaign(tenant, id);
    if (campaign === undefined) throw new DomainError("CLICK_CAMPAIGN_NOT_FOUND");
    return work(tenant, campaign, deps.clock.now());
  });
  deps.wakeRelay();
  return { campaign: campaignMessage(changed) };
}

async function requireCampaign(tenant: Tenant, id: string): Promise<Campaign> {
  const campaign = await findCampaign(tenant, id);
  if (campaign === undefined) throw new DomainError("CLICK_CAMPAIGN_NOT_FOUND");
  return campaign;
}

/** What was drafted with a key, which stands for one request. */
function requireSame(made: Campaign | undefined, requestHash: Buffer): Campaign {
  if (made?.requestHash.equals(requestHash) !== true) throw new DomainError("CLICK_IDEMPOTENCY_KEY_REUSED");
  if (made.status === "DELETED") throw new DomainError("CLICK_CAMPAIGN_NOT_FOUND");
  return made;
}

/** Tells those who watch over the organization what was done, and others of what it brings about. */
async function note(
  deps: Deps,
  { client }: Tenant,
  caller: Caller,
  action: AuditAction,
  targetId: string,
  changes: Readonly<Record<string, unknown>> = {},
  ...told: readonly OutboxRecord[]
): Promise<void> {
  const context = { caller, eventId: deps.newId(), now: deps.clock.now() };
  const audited = auditRecord(context, { action, actor: auditActor(caller), targetId, changes });
  await insertOutbox(client, "click", [audited, ...told]);
}
