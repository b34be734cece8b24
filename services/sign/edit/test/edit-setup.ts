import { randomUUID } from "node:crypto";
import { type Client, createClient, type Transport } from "@connectrpc/connect";
import { RendererService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { callerHeaders } from "#platform/caller.ts";
import { createPool } from "#platform/db/pool.ts";
import { newId, parseOrgId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { createMetrics } from "#platform/metrics.ts";
import { serverInterceptors } from "#platform/rpc/interceptors.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import { createTestDatabase } from "#platform/testing/database.ts";
import { testSeals } from "../../agreement/test/trail-vault.ts";
import type { SignDeps } from "../../deps.ts";
import { signRoutes } from "../../handlers.ts";
import { createIntake } from "../../intake/intake.ts";
import { unknownSender } from "../../organization-reader.ts";
import { createFakeClick } from "../../test/fake-click.ts";

export type Organization = Client<typeof SignService>;

/** All RPCs on a database of their own, with files that are really checked; nothing can be printed. */
export async function startEditing() {
  const database = await createTestDatabase();
  const { superuser } = database;
  const pool = createPool({ url: database.url, role: "assent_sign", max: 10, name: "sign" });
  const logger = createLogger("sign", "silent");
  const clock = { now: () => new Date() };
  const renderer = createClient(
    RendererService,
    createMemoryTransport(() => undefined, { interceptors: [] }),
  );
  const intake = createIntake({ logger, renderer, clock, size: 1 });
  const facts = { name: "Acme", sandbox: false };
  const deps: SignDeps = {
    ...{ pool, intake, renderer, clock, newId, logger },
    ...testSeals(pool),
    deletesNothing: false,
    abuseContact: "",
    ...{ senderKeys: [Buffer.alloc(32)], mailDomain: "", resolveTexts: async () => [] },
    evidenceLog: createFakeClick().client,
    organizations: { of: async () => facts, known: () => facts, sender: async () => unknownSender },
    ...{
      sealReader: { read: async () => [] },
      publicSealReader: { read: async () => [] },
      verifierPool: pool,
      searcherPool: pool,
      eraserPool: pool,
    },
    witness: { confirm: async () => undefined },
    ...{ wakeRelay: () => {}, wakeJobs: () => {} },
  };
  const transport = createMemoryTransport(signRoutes(deps), {
    interceptors: serverInterceptors({ service: "sign", logger, metrics: createMetrics() }),
    maxMessageBytes: 32 * 1024 * 1024,
    defaultTimeoutMs: 30_000,
  });
  return {
    superuser,
    organization: (): Organization => createClient(SignService, asOrganization(transport, randomUUID())),
    stop: async () => {
      await intake.close();
      await pool.end();
      await database.drop();
    },
  };
}

function asOrganization(transport: Transport, id: string): Transport {
  const orgId = parseOrgId(id);
  if (orgId === undefined) throw new TypeError("a UUID is one");
  const headers = callerHeaders({ orgId, clientId: "client", requestId: "request-1", traceparent: "" });
  return {
    unary: (method, signal, timeoutMs, _header, input, values) =>
      transport.unary(method, signal, timeoutMs, headers, input, values),
    stream: (method, signal, timeoutMs, _header, input, values) =>
      transport.stream(method, signal, timeoutMs, headers, input, values),
  };
}
