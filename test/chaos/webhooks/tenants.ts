import { randomUUID } from "node:crypto";
import { createClient } from "@connectrpc/connect";
import { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { callerHeaders } from "#platform/caller.ts";
import { systemClock } from "#platform/clock.ts";
import { createMemoryBus } from "#platform/events/memory.ts";
import { newId, type OrgId } from "#platform/ids.ts";
import { createMetrics } from "#platform/metrics.ts";
import { serverInterceptors } from "#platform/rpc/interceptors.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import { createWebhooksService } from "../../../services/webhooks/service.ts";
import type { Cluster } from "./cluster.ts";
import type { Behaviour, Endpoint } from "./history.ts";
import type { Receivers } from "./receivers.ts";

/** What an organization registers. Those that never accept anything are asked for less. */
const wishes: readonly { readonly behaviour: Behaviour; readonly eventTypes: readonly string[] }[] = [
  { behaviour: "steady", eventTypes: [] },
  { behaviour: "slow", eventTypes: ["document.completed"] },
  { behaviour: "faulty", eventTypes: [] },
  { behaviour: "gone", eventTypes: [] },
  { behaviour: "broken", eventTypes: ["click.acceptance.recorded"] },
  { behaviour: "silent", eventTypes: ["batch.completed", "document.failed"] },
  { behaviour: "redirecting", eventTypes: ["batch.completed"] },
];

export interface Tenants {
  /** The last one has no endpoints. */
  readonly organizations: readonly OrgId[];
  /** With the names of receivers as ids of requests. */
  readonly endpoints: readonly (Endpoint & { readonly receiver: string })[];
}

/** Registers endpoints of several organizations, by a service that does nothing else. */
export async function prepareTenants(cluster: Cluster, receivers: Receivers, count = 3): Promise<Tenants> {
  const { databaseUrl, masterKey, logger } = cluster;
  const metrics = createMetrics();
  const nobody = createMemoryTransport(() => undefined, { interceptors: [] });
  const runtime = { logger, metrics, clock: systemClock, newId, bus: createMemoryBus() };
  const service = createWebhooksService(
    { databaseUrl, masterKey, allowPrivate: true },
    { runtime, click: nobody, sign: nobody },
  );
  const interceptors = serverInterceptors({ service: "webhooks", logger, metrics });
  const transport = createMemoryTransport(service.routes, { interceptors, defaultTimeoutMs: 60_000 });
  const client = createClient(WebhooksService, transport);
  const organizations = Array.from({ length: count + 1 }, () => randomUUID() as OrgId);
  const endpoints: Tenants["endpoints"][number][] = [];
  try {
    for (const [n, orgId] of organizations.slice(0, count).entries()) {
      const headers = callerHeaders({ orgId, clientId: "history", requestId: "history", traceparent: "" });
      for (const { behaviour, eventTypes } of wishes) {
        const receiver = `${n}-${behaviour}`;
        const url = receivers.add(receiver, behaviour);
        const created = await client.createEndpoint({ url, eventTypes: [...eventTypes], enabled: true }, { headers });
        const { secret } = created;
        endpoints.push({ id: created.endpoint?.id ?? "", orgId, behaviour, eventTypes, secret, receiver });
      }
    }
  } finally {
    await service.close();
  }
  return { organizations, endpoints };
}
