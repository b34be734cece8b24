import type { AdminClient } from "../../../dev/demo.ts";
import { smallestPdf } from "../../../services/sign/intake/merge-pdfs.ts";
import { Api } from "../../support/api.ts";
import { collectEvents, type EventLog } from "../../support/events.ts";
import { bodyOf } from "../../support/journeys.ts";
import { type Cluster, type ClusterShape, startCluster } from "../accept-history/cluster.ts";
import { createTenants } from "../accept-history/tenants.ts";
import type { Visitor } from "./load.ts";

/** Two of every process, with an organization to be served and somebody who hears the events. */
export interface LifecycleCluster extends Cluster {
  readonly visitor: Visitor;
  readonly events: EventLog;
}

export async function startLifecycleCluster(changes: Partial<ClusterShape> = {}): Promise<LifecycleCluster> {
  const cluster = await startCluster({
    ...{ gateways: 2, clicks: 2, others: twoOfEach },
    environments: async () => new Map(),
    ...changes,
  });
  try {
    return await visit(cluster);
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

export const twoOfEach = { auths: 2, templates: 2, docgens: 2, signs: 2, webhooks: 2 } as const;

/** A cluster that runs, with somebody to be served. */
export async function visit(cluster: Cluster): Promise<LifecycleCluster> {
  const events = await collectEvents(cluster.bus, "lifecycle");
  const visitor = await prepareVisitor(cluster.admin, cluster.running.baseUrls);
  const stop = async (): Promise<void> => {
    await events.stop();
    await cluster.stop();
  };
  return { ...cluster, visitor, events, stop };
}

/** What a customer's backend has before the load begins: something of every service. */
async function prepareVisitor(admin: AdminClient, gateways: readonly string[]): Promise<Visitor> {
  const [tenant] = await createTenants(admin, gateways[0] ?? "", { tenants: 1, sessions: 0 });
  if (tenant === undefined) throw new Error("there is no tenant");
  const { api, organizationId } = tenant;
  const scopes = ["click:read"];
  const { client, clientSecret } = await admin.createOAuthClient({ organizationId, name: "backend", scopes });
  bodyOf(200, await Api.fetchToken(api.baseUrl, client?.id ?? "", clientSecret, "click:read"));
  const templates = bodyOf(200, await api.get("/v1/click/templates"));
  const draft = {
    ...{ emailSubject: "Please sign", status: "created" },
    documents: [{ documentId: "1", name: "NDA.pdf", documentBase64: Buffer.from(smallestPdf).toString("base64") }],
  };
  return {
    ...{ api, gateways },
    templateSlug: tenant.texts[0] ?? "",
    credentials: { client_id: client?.id ?? "", client_secret: clientSecret },
    paths: [
      `/v1/click/templates/${templates[0].id}`,
      `/v1/sign/agreements/${bodyOf(201, await api.post("/v1/sign/agreements", draft)).id}`,
      "/v1/webhooks/endpoints",
      "/v1/gen/usage",
    ],
  };
}
