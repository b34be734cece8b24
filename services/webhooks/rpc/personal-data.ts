import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { KeptReason, PersonalKind } from "#api/personal-data.ts";
import {
  type PersonalDataService,
  PersonalItemOutcome,
  type PersonalItemSchema,
} from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { answerOnce } from "#platform/db/erasure-answers.ts";
import { shareHolds } from "#platform/db/hold-marks.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import { eraseFromDeliveries, findDeliveries, findEndpoints } from "../store/person-store.ts";
import type { WebhooksDeps } from "./deps.ts";

type Item = MessageInitShape<typeof PersonalItemSchema>;
interface Page {
  readonly items: Item[];
  readonly nextCursor: string;
}

/** Bodies are made when they are sent and never stored; what receivers answered is, and events with reasons are. */
export const personalData = (
  deps: Pick<WebhooksDeps, "pool">,
): Pick<ServiceImpl<typeof PersonalDataService>, "findPerson" | "erasePerson"> => ({
  findPerson: ({ person, cursor }, context) =>
    onePage(deps, requireCaller(context).orgId, { email: person?.email, cursor }),
  erasePerson: ({ person, cursor, ...erasure }, context) =>
    onePage(deps, requireCaller(context).orgId, { email: person?.email, cursor, erasure }),
});

async function onePage(
  { pool }: Pick<WebhooksDeps, "pool">,
  orgId: OrgId,
  asked: {
    readonly email: string | undefined;
    readonly cursor: string;
    readonly erasure?: { readonly erasureId: string; readonly isHeld: boolean; readonly holdMark: number };
  },
): Promise<Page> {
  const email = (asked.email ?? "").trim().toLowerCase();
  // References stand in nothing that is kept here.
  if (email === "") return { items: [], nextCursor: "" };
  const { cursor, erasure } = asked;
  const work = async (tenant: Tenant): Promise<Page> => {
    const { found, next } = await findDeliveries(tenant, email, cursor);
    const ids = found.map(({ id }) => id);
    if (erasure?.isHeld === false && ids.length > 0) await eraseFromDeliveries(tenant, email, ids);
    const items = found.flatMap(({ id, attempts, events }) => [
      ...item("webhook.answer", id, attempts),
      ...item("webhook.event", id, events),
    ]);
    const endpoints = next === undefined ? await findEndpoints(tenant, email) : [];
    return { items: [...items, ...endpoints.map(setting)], nextCursor: next ?? "" };
  };
  return withOrg(pool, orgId, async (tenant) => {
    if (erasure === undefined) return work(tenant);
    if (!erasure.isHeld) await shareHolds(tenant, "webhooks", erasure.holdMark);
    return answerOnce(tenant, { schema: "webhooks", ...erasure, cursor }, work);
  });
}

const item = (kind: PersonalKind, targetId: string, count: number): Item[] =>
  count === 0 ? [] : [{ kind, targetId, count, outcome: PersonalItemOutcome.ERASED }];

/** Events would go elsewhere if its address were another. */
const setting = (targetId: string): Item => ({
  ...{ kind: "webhook.endpoint" satisfies PersonalKind, targetId, count: 1 },
  ...{ outcome: PersonalItemOutcome.KEPT, keptBecause: "SETTING" satisfies KeptReason },
});
