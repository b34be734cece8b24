import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { QueuedPurgeSchema } from "#gen/assent/sign/v1/retention_pb.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import type { Agreement, JsonObject, Purge } from "../agreement/agreement.ts";
import { loadAgreement } from "../agreement/agreement-store.ts";
import { type Actor, type Change, changeTo, type DecisionContext, noChange } from "../agreement/change.ts";
import { changeAgreement } from "../agreement/change-agreement.ts";
import { agreementTarget, decisionContext, waitingCaller } from "../agreement/context.ts";
import { eraseFiles } from "../agreement/file-store.ts";
import { agreementMessage } from "../agreement/messages.ts";
import { invalid, problem } from "../agreement/problems.ts";
import { daysAfter, invalidStatus } from "../agreement/transitions.ts";
import { writeChange } from "../agreement/write-change.ts";
import type { SignDeps, SignRpcs } from "../deps.ts";
import { eraseTab } from "../erasure/erased-values.ts";
import type { JobHandler } from "../jobs/job.ts";
import { insertActs, type PrivacyAct } from "./acts.ts";
import { findHeld } from "./holds.ts";
import { shareRules } from "./periods.ts";

/** What may be asked for; dequeued: to forget what was. */
type PurgeWish = "documents_queued" | "documents_and_metadata_queued" | "documents_dequeued";

/** How long it can be taken back. */
const queueDays = 14;

/** How long before a legal hold is looked at again, in milliseconds. */
const heldPauseMs = 60 * 60_000;

const endedStatuses: readonly Agreement["status"][] = ["completed", "declined", "voided", "expired"];

const isQueued = ({ purge }: Agreement): boolean => purge?.state.endsWith("_queued") === true;

/** Puts an agreement that has ended into the queue, or takes it out of it; what was asked for before stays as it is. */
function askForPurge(agreement: Agreement, wish: PurgeWish, { now, actor }: DecisionContext): Change {
  const state = agreement.purge?.state;
  if (wish === state) return noChange(agreement);
  if (wish === "documents_dequeued") {
    if (!isQueued(agreement) || agreement.purge == null) {
      throw invalid(problem("purgeState", "NOT_QUEUED", "must not be documents_dequeued: nothing is in the queue"));
    }
    const withdrawn = { ...agreement, modifiedAt: now, purge: { ...agreement.purge, state: wish } };
    return changeTo(withdrawn, { audit: [entry("agreement.purge-withdrawn", actor, wish)] });
  }
  if (!endedStatuses.includes(agreement.status)) throw invalidStatus(agreement, "purge");
  if (state === "documents_and_metadata_purged" || (state === "documents_purged" && wish === "documents_queued")) {
    throw invalid(problem("purgeState", "PURGED", `must not be ${wish}: that was deleted before`));
  }
  const purge: Purge = { state: wish, requestedAt: now.toISOString(), purgedAt: agreement.purge?.purgedAt ?? null };
  return changeTo(
    { ...agreement, modifiedAt: now, purge },
    {
      audit: [entry("agreement.purge-requested", actor, wish)],
      jobs: [{ kind: "purge", key: agreement.id, runAt: dueAt(purge), payload: { agreementId: agreement.id } }],
    },
  );
}

const entry = (
  action: "agreement.purge-requested" | "agreement.purge-withdrawn" | "agreement.purged",
  actor: Actor,
  purge: string,
) => ({ action, actor, details: { purge } });

const dueAt = ({ requestedAt }: Purge): Date => daysAfter(new Date(requestedAt), queueDays);

/** What is deleted by a moment because somebody has asked for it, next first. */
export async function listQueuedPurges(
  tenant: Tenant,
  vault: SignDeps["vault"],
  until: Date,
): Promise<MessageInitShape<typeof QueuedPurgeSchema>[]> {
  const { rows } = await tenant.client.query<{ id: string; purge: Purge }>(
    `select a.id, a.purge from sign.job j join sign.agreement a on a.organization_id = j.organization_id and a.id = j.agreement_id
     where j.organization_id = $1 and j.kind = 'purge' and a.purge ->> 'state' like '%\\_queued'
       and (a.purge ->> 'requestedAt')::timestamptz <= $2
     order by a.purge ->> 'requestedAt', a.id limit 200`,
    [tenant.orgId, daysBefore(until, queueDays)],
  );
  const held = await findHeld(
    tenant,
    vault,
    rows.map(({ id }) => id),
  );
  return rows.map(({ id, purge }) => ({
    ...{ agreementId: id, state: purge.state, isHeld: held.has(id) },
    requestedAt: timestampFromDate(new Date(purge.requestedAt)),
    dueAt: timestampFromDate(dueAt(purge)),
  }));
}

const daysBefore = (time: Date, days: number): Date => new Date(2 * time.getTime() - daysAfter(time, days).getTime());

export const purgeAgreement = (deps: SignDeps): SignRpcs<"purgeAgreement"> => ({
  async purgeAgreement({ agreementId, state, observed }, context) {
    const caller = waitingCaller(context);
    await deps.organizations.of(caller.orgId);
    const decision = decisionContext(deps, caller, observed);
    let acts: PrivacyAct[] = [];
    const agreement = await changeAgreement(
      deps,
      caller,
      agreementTarget(agreementId),
      (current) => {
        const change = askForPurge(current, state as PurgeWish, decision);
        const action = state === "documents_dequeued" ? "purge.withdrawn" : "purge.requested";
        const act = { id: deps.newId(), at: decision.now, action, actor: caller.clientId } as const;
        const details = { purge: state };
        acts = change.audit.map(() => ({ ...act, subjectId: current.id, details, requestId: caller.requestId }));
        return change;
      },
      new Map(),
      (tenant) => insertActs(tenant, acts),
    );
    deps.wakeRelay();
    return { agreement: agreementMessage(agreement, caller.orgId) };
  },
});

/** Deletes what was asked for 14 days ago, in one transaction with the trail's word of it; waits while a hold keeps it. */
export const purgeAgreements = (deps: SignDeps): JobHandler => ({
  concurrency: 2,
  maxAttempts: Number.POSITIVE_INFINITY,
  run: async (job, hold) => {
    const now = deps.clock.now();
    const outcome = await withOrg(deps.pool, job.orgId, async (tenant) => {
      // Holds that were answered before are seen, and others wait.
      await shareRules(tenant);
      const agreement = await loadAgreement(tenant, job.key, { lock: true });
      const purge = agreement !== undefined && isQueued(agreement) ? agreement.purge : null;
      if (agreement === undefined || purge == null) {
        await hold.endIn(tenant);
        return { kind: "done" } as const;
      }
      if (dueAt(purge) > now) return { kind: "again", runAt: dueAt(purge) } as const;
      if ((await findHeld(tenant, deps.vault, [agreement.id])).has(agreement.id)) {
        return { kind: "again", runAt: new Date(now.getTime() + heldPauseMs) } as const;
      }
      const change = purged(agreement, purge, now);
      await writeChange(deps, tenant, job, { before: agreement, change, bytes: new Map() });
      await eraseFiles(tenant, deps.files, agreement);
      const withMetadata = purge.state === "documents_and_metadata_queued";
      if (withMetadata) {
        await tenant.client.query("delete from sign.attachment where organization_id = $1 and agreement_id = $2", [
          ...[job.orgId, agreement.id],
        ]);
      }
      const details: JsonObject = { purge: change.agreement.purge?.state };
      const act = {
        id: deps.newId(),
        at: now,
        action: "agreement.purged",
        actor: "",
        requestId: job.requestId,
      } as const;
      await insertActs(tenant, [{ ...act, subjectId: agreement.id, details }]);
      await hold.endIn(tenant);
      return { kind: "done" } as const;
    });
    deps.wakeRelay();
    deps.wakeJobs();
    return outcome;
  },
});

const system: Actor = { source: "system", id: "", name: "", email: "", ip: "", userAgent: "" };

/** The agreement without its files and what was filled in; as asked for, without its fields and texts too. */
function purged(agreement: Agreement, purge: Purge, now: Date): Change {
  const withMetadata = purge.state === "documents_and_metadata_queued";
  const state = withMetadata ? "documents_and_metadata_purged" : "documents_purged";
  const sequence = agreement.audit.count + 1;
  const { id } = agreement;
  const left: Agreement = {
    ...agreement,
    modifiedAt: now,
    purge: { ...purge, state, purgedAt: now.toISOString() },
    recipients: agreement.recipients.map((recipient) => ({
      ...recipient,
      ...{ signature: null, initials: null },
      tabs: withMetadata ? [] : recipient.tabs.map(eraseTab),
      ...(withMetadata ? { note: "", emailSubject: "", emailBlurb: "" } : {}),
    })),
    ...(withMetadata ? { customFields: [], metadata: null, emailBlurb: "" } : {}),
  };
  return changeTo(left, {
    audit: [entry("agreement.purged", system, state)],
    events: [{ kind: "agreement.purged" }],
    jobs: [
      {
        ...{ kind: "evidence", key: `${id}:${sequence}`, runAt: now },
        payload: { agreementId: id, erasure: sequence },
      },
    ],
  });
}
