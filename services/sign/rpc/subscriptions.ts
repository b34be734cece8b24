import { randomInt } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  type SignService,
  type Subscription as SubscriptionMessage,
  SubscriptionSchema,
} from "#gen/assent/sign/v1/sign_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import type { JsonObject } from "../domain/agreement.ts";
import {
  deleteSubscription,
  findSubscription,
  insertSubscription,
  listSubscriptions,
  replaceSubscription,
  type Subscription,
} from "../store/subscription-store.ts";
import type { SignDeps } from "./deps.ts";
import { parseJsonObject } from "./json-input.ts";

type Subscriptions = Pick<
  ServiceImpl<typeof SignService>,
  "createSubscription" | "getSubscription" | "listSubscriptions" | "updateSubscription" | "deleteSubscription"
>;

export const subscriptions = (deps: Pick<SignDeps, "pool" | "clock">): Subscriptions => ({
  async createSubscription({ settingsJson }, context) {
    const { orgId } = requireCaller(context);
    return { subscription: subscriptionMessage(await insert(deps, orgId, parseSettings(settingsJson))) };
  },
  async getSubscription({ id }, context) {
    const { orgId } = requireCaller(context);
    return { subscription: subscriptionMessage(found(await findSubscription(deps.pool, orgId, storable(id)))) };
  },
  async listSubscriptions(_request, context) {
    const { orgId } = requireCaller(context);
    return { subscriptions: (await listSubscriptions(deps.pool, orgId)).map(subscriptionMessage) };
  },
  async updateSubscription({ id, settingsJson }, context) {
    const { orgId } = requireCaller(context);
    const changed = await replaceSubscription(deps.pool, orgId, storable(id), parseSettings(settingsJson));
    return { subscription: subscriptionMessage(found(changed)) };
  },
  async deleteSubscription({ id }, context) {
    const { orgId } = requireCaller(context);
    if (!(await deleteSubscription(deps.pool, orgId, storable(id)))) throw new DomainError("SUBSCRIPTION_NOT_FOUND");
    return {};
  },
});

/** Integrations keep the number as an integer of 32 bits; it tells nobody how many there are. */
const maxId = 2 ** 31;

async function insert(
  { pool, clock }: Pick<SignDeps, "pool" | "clock">,
  orgId: OrgId,
  settings: JsonObject,
): Promise<Subscription> {
  for (;;) {
    const subscription = { id: String(randomInt(1, maxId)), settings, createdAt: clock.now() };
    if (await insertSubscription(pool, orgId, subscription)) return subscription;
  }
}

const parseSettings = (text: string): JsonObject => parseJsonObject("settings", text, 64 * 1024);

/** What is larger than any number that was given names nothing. */
function storable(id: bigint): string {
  if (id < 1n || id >= BigInt(maxId)) throw new DomainError("SUBSCRIPTION_NOT_FOUND");
  return String(id);
}

function found(subscription: Subscription | undefined): Subscription {
  if (subscription === undefined) throw new DomainError("SUBSCRIPTION_NOT_FOUND");
  return subscription;
}

const subscriptionMessage = ({ id, settings, createdAt }: Subscription): SubscriptionMessage =>
  create(SubscriptionSchema, {
    id: BigInt(id),
    settingsJson: JSON.stringify(settings),
    createdAt: timestampFromDate(createdAt),
  });
