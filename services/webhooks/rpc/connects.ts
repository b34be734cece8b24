import { randomInt } from "node:crypto";
import type { ServiceImpl } from "@connectrpc/connect";
import type pg from "pg";
import type { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { changeEndpoint, switchedTo } from "../domain/change-endpoint.ts";
import type { Endpoint } from "../domain/endpoint.ts";
import { maxEndpoints } from "../domain/limits.ts";
import {
  countEndpoints,
  deleteEndpoint,
  findByConnectId,
  insertEndpoint,
  listConnects,
  lockOrganization,
  saveEndpoint,
} from "../store/endpoint-store.ts";
import { giveUpWaiting } from "../store/give-up.ts";
import { parseConnectSettings } from "./connect-input.ts";
import type { WebhooksDeps } from "./deps.ts";
import { connectMessage } from "./messages.ts";

type Deps = Pick<WebhooksDeps, "pool" | "rules" | "clock" | "newId">;
type Connects = ServiceImpl<typeof WebhooksService>;

export const connects = (
  deps: Deps,
): Pick<Connects, "createConnect" | "getConnect" | "listConnects" | "updateConnect" | "deleteConnect"> => ({
  ...changes(deps),
  async createConnect({ settingsJson }, context) {
    const { orgId } = requireCaller(context);
    const { isEnabled, ...given } = await parseConnectSettings(deps, settingsJson);
    const now = deps.clock.now();
    const wanted: Omit<Endpoint, "connectId"> = {
      ...given,
      ...{ id: deps.newId(), kind: "connect", description: "" },
      ...switchedTo(isEnabled, now),
      ...{ failingSince: undefined, previousSecretUntil: undefined, createdAt: now, updatedAt: now },
    };
    return { connect: connectMessage(await inTransaction(orgId, deps.pool, (client) => add(client, orgId, wanted))) };
  },
  async getConnect({ id }, context) {
    const { orgId } = requireCaller(context);
    const connect = await inTransaction(orgId, deps.pool, (client) => requireConnect(client, orgId, id));
    return { connect: connectMessage(connect) };
  },
  async listConnects(_request, context) {
    const { orgId } = requireCaller(context);
    const found = await inTransaction(orgId, deps.pool, (client) => listConnects(client, orgId));
    return { connects: found.map(connectMessage) };
  },
});

const changes = (deps: Deps): Pick<Connects, "updateConnect" | "deleteConnect"> => ({
  async updateConnect({ id, settingsJson }, context) {
    const { orgId } = requireCaller(context);
    // Who names an unknown one hears that, and nothing of its settings; and no name is looked up for it.
    await inTransaction(orgId, deps.pool, (client) => requireConnect(client, orgId, id));
    const given = await parseConnectSettings(deps, settingsJson);
    const now = deps.clock.now();
    const connect = await inTransaction(orgId, deps.pool, async (client) => {
      const before = await requireConnect(client, orgId, id, { lock: true });
      const { endpoint, givesUp } = changeEndpoint(before, given, now);
      await saveEndpoint(client, orgId, endpoint);
      if (givesUp) await giveUpWaiting(client, orgId, before.id);
      return endpoint;
    });
    return { connect: connectMessage(connect) };
  },
  async deleteConnect(request, context) {
    const { orgId } = requireCaller(context);
    await inTransaction(orgId, deps.pool, async (client) => {
      const { id } = await requireConnect(client, orgId, request.id, { lock: true });
      await deleteEndpoint(client, orgId, id, deps.clock.now());
      await giveUpWaiting(client, orgId, id);
    });
    return {};
  },
});

/** Integrations keep the number as an integer of 32 bits; it tells nobody how many there are. */
const maxId = 2 ** 31;

async function add(client: pg.PoolClient, orgId: OrgId, wanted: Omit<Endpoint, "connectId">): Promise<Endpoint> {
  await lockOrganization(client, orgId);
  if ((await countEndpoints(client, orgId, "connect")) >= maxEndpoints) throw new DomainError("WEBHOOK_ENDPOINT_LIMIT");
  for (;;) {
    const connect = { ...wanted, connectId: randomInt(1, maxId) };
    if (await insertEndpoint(client, orgId, connect)) return connect;
  }
}

/** `lock` as for findByConnectId. Throws SUBSCRIPTION_NOT_FOUND, also for numbers that are never given. */
async function requireConnect(
  client: pg.PoolClient,
  orgId: OrgId,
  id: bigint,
  options: { readonly lock?: boolean } = {},
): Promise<Endpoint> {
  const isPossible = id >= 1n && id < BigInt(maxId);
  const connect = isPossible ? await findByConnectId(client, orgId, Number(id), options) : undefined;
  if (connect === undefined) throw new DomainError("SUBSCRIPTION_NOT_FOUND");
  return connect;
}
