import type { Event } from "#gen/assent/events/v1/events_pb.ts";
import type { Clock } from "#platform/clock.ts";
import type { Tenant } from "#platform/db/pool.ts";
import { newSeed } from "#platform/vault/sealed-box.ts";
import { readStandings } from "../consent/agreement-states.ts";
import { findSubjects } from "../erasure/person-store.ts";
import type { SubjectVault } from "../vault/subject-vault.ts";
import { type Campaign, type Standing, standingOf } from "./campaign.ts";
import {
  findCounting,
  isCounting,
  listChecked,
  lockAll,
  type NewPerson,
  type StoredPerson,
  setStandings,
} from "./campaign-store.ts";

export interface StandingDeps {
  readonly vault: SubjectVault;
  readonly clock: Clock;
}

/**
 * Looks where people of a locked campaign stand, and writes it down. Whatever was recorded before is seen: whoever comes
 * later waits for the lock. So the state follows from what is recorded, in whichever order it is heard of.
 */
export async function judgePeople(
  deps: StandingDeps,
  tenant: Tenant,
  campaign: Campaign,
  indexes: readonly Buffer[],
): Promise<void> {
  const now = deps.clock.now();
  const found = new Map<string, Standing>();
  await readStandings(deps, tenant, { templateId: campaign.templateId, indexes, now }, (key, acceptance, purposes) =>
    found.set(key, standingOf(campaign, acceptance, purposes)),
  );
  const asked = standingOf(campaign, undefined, new Map());
  const standings = indexes.map((subjectIndex) => ({
    subjectIndex,
    ...(found.get(subjectIndex.toString("hex")) ?? asked),
  }));
  await setStandings(tenant, campaign.id, standings);
}

/**
 * Applies what people did to the campaigns that ask them, from the events of what was recorded. Those whom nobody has looked
 * at are left to the worker, who sees the same records.
 */
export const countForCampaigns =
  (deps: StandingDeps) =>
  async (tenant: Tenant, events: readonly Event[]): Promise<void> => {
    const receiptIds = events.flatMap(({ payload }) => receiptOf(payload) ?? []);
    if (receiptIds.length === 0 || !(await isCounting(tenant))) return;
    const subjects = await findSubjects(tenant, receiptIds);
    if (subjects.length === 0) return;
    for (const campaign of await lockAll(tenant, await findCounting(tenant, subjects))) {
      if (campaign.status !== "RUNNING" && campaign.status !== "ENDED") continue;
      const checked = await listChecked(tenant, campaign.id, subjects);
      if (checked.length > 0) await judgePeople(deps, tenant, campaign, checked);
    }
  };

function receiptOf(payload: Event["payload"]): string | undefined {
  switch (payload.case) {
    case "acceptanceRecorded":
    case "consentGranted":
    case "consentDenied":
    case "consentWithdrawn":
    case "consentExpired":
      return payload.value.receiptId;
    default:
      return undefined;
  }
}

export function sealPerson(
  vault: SubjectVault,
  organizationId: Tenant["orgId"],
  campaignId: string,
  userRef: string,
): NewPerson {
  const seed = newSeed();
  const sealed = vault.seal({ organizationId, recordId: campaignId }, seed, userRef);
  return { subjectIndex: vault.subjectIndex(organizationId, userRef), seed, sealed };
}

export const openPerson = (
  vault: SubjectVault,
  organizationId: Tenant["orgId"],
  recordId: string,
  { seed, sealed }: Pick<StoredPerson, "seed" | "sealed">,
): string => vault.open({ organizationId, recordId }, seed, sealed).toString("utf8");
