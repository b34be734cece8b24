import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import type { ClickDeps } from "../deps.ts";
import { findLastOfUsers } from "../receipts/acceptance-list.ts";
import { currentOffer } from "../stats/stats.ts";
import { type AgreementState, agreementAt, type LastAcceptance } from "../terms/agreement-state.ts";
import { type PurposeState, stateAt } from "./consent.ts";
import { findLastEventsOfUsers } from "./consent-store.ts";
import { openLast } from "./read-consent.ts";
import { mapInTurns } from "./sealed-change.ts";
import { agreementMessage } from "./update-consent-state.ts";

type Deps = Pick<ClickDeps, "pool" | "vault" | "clock" | "templates">;

/** Sealed receipts that are in memory at once: each can be some 100 KB. */
const readAtOnce = 100;

export const listAgreementStates = (deps: Deps): Pick<ServiceImpl<typeof ClickService>, "listAgreementStates"> => ({
  async listAgreementStates({ templateId, userRefs, onlyOutstanding }, context) {
    const { orgId } = requireCaller(context);
    if (!isUuid(templateId)) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
    const now = deps.clock.now();
    const offer = await currentOffer(deps, orgId, templateId.toLowerCase());
    // Nothing is outstanding while nothing can be accepted.
    const isAsked = offer.published.length > 0;
    const users = userRefs.map((userRef) => ({ userRef, key: deps.vault.subjectIndex(orgId, userRef) }));
    const indexes = users.map(({ key }) => key);
    const standing = new Map<string, AgreementState>();
    await withOrg(deps.pool, orgId, (tenant) =>
      readStandings(deps, tenant, { templateId: templateId.toLowerCase(), indexes, now }, (key, acceptance, purposes) =>
        standing.set(key, agreementAt(acceptance, offer, purposes, now)),
      ),
    );
    const listed = users.map(({ userRef, key }) => {
      const agreement = standing.get(key.toString("hex"));
      const outstanding = isAsked && (agreement?.status !== "ACCEPTED" || !agreement.isLatest);
      return { userRef, outstanding, agreement: agreement && agreementMessage(agreement) };
    });
    return {
      asOf: timestampFromDate(now),
      users: onlyOutstanding ? listed.filter(({ outstanding }) => outstanding) : listed,
    };
  },
});

/** Tells of each of these users who has decided on the template: their last decision, and the purposes as they are. */
export async function readStandings(
  deps: Pick<Deps, "vault">,
  tenant: Tenant,
  {
    templateId,
    indexes,
    now,
  }: { readonly templateId: string; readonly indexes: readonly Buffer[]; readonly now: Date },
  tell: (key: string, acceptance: LastAcceptance, purposes: ReadonlyMap<string, PurposeState>) => void,
): Promise<void> {
  for (let start = 0; start < indexes.length; start += readAtOnce) {
    const last = await readLastOfUsers(deps, tenant, templateId, indexes.slice(start, start + readAtOnce));
    const purposes = await readPurposes(tenant, last, now);
    for (const { key, acceptance } of last) tell(key, acceptance, purposes.get(key) ?? new Map());
  }
}

interface LastOfUser {
  /** The index of the user, in hexadecimal. */
  readonly key: string;
  readonly acceptance: LastAcceptance;
}

async function readLastOfUsers(
  { vault }: Pick<Deps, "vault">,
  tenant: Tenant,
  templateId: string,
  indexes: readonly Buffer[],
): Promise<LastOfUser[]> {
  const rows = await findLastOfUsers(tenant, templateId, indexes);
  const opened = await mapInTurns(rows, (row) => {
    const acceptance = openLast(vault, row);
    return acceptance === undefined ? [] : [{ key: row.subjectIndex.toString("hex"), acceptance }];
  });
  return opened.flat();
}

/** The purposes of those whose acceptance granted some, by the index of the user. */
async function readPurposes(
  tenant: Tenant,
  last: readonly LastOfUser[],
  now: Date,
): Promise<Map<string, Map<string, PurposeState>>> {
  const states = new Map<string, Map<string, PurposeState>>();
  const granting = last.filter(({ acceptance }) => acceptance.purposes.some(({ granted }) => granted));
  if (granting.length === 0) return states;
  const events = await findLastEventsOfUsers(
    tenant,
    granting.map(({ key }) => Buffer.from(key, "hex")),
  );
  for (const { subjectIndex, event } of events) {
    const key = subjectIndex.toString("hex");
    states.set(key, (states.get(key) ?? new Map()).set(event.purpose, stateAt(event, now)));
  }
  return states;
}
