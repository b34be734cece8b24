import { createClient } from "@connectrpc/connect";
import type pg from "pg";
import type { Erasure } from "#api/erasures.ts";
import { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { createPool } from "#platform/db/pool.ts";
import { newId, type OrgId } from "#platform/ids.ts";
import { createLogger } from "#platform/logger.ts";
import { createEvidenceParts } from "../../keys/evidence-parts.ts";
import { createTemplateSource } from "../../terms/template-source.ts";
import { as, type ClickHarness, type ClickInstance, testIssuer } from "../../test/harness.ts";
import { createKeyHasher } from "../../vault/subject-vault.ts";
import { type EraseDueDeps, eraseDue } from "../erase-due.ts";
import type { EraseUserDeps } from "../erase-user.ts";

/** What administrators do, with the service that `click` answers when it is needed. */
export function erasureActions(click: () => ClickHarness) {
  return {
    erase: async (orgId: OrgId, userRef: string, reason = "", { client }: ClickInstance = click()): Promise<Erasure> =>
      JSON.parse((await client.eraseUser({ userRef, reason }, as(orgId))).erasureJson) as Erasure,
    receiptOf: async (orgId: OrgId, receiptId: string) =>
      JSON.parse((await click().client.getReceipt({ receiptId }, as(orgId))).receiptJson),
  };
}

/** What erases, apart from the service. */
export interface ErasureParts {
  readonly deps: EraseUserDeps & EraseDueDeps;
  /** One round of the worker. */
  eraseDue(): Promise<void>;
  close(): Promise<void>;
}

export function createErasureParts(click: ClickHarness): ErasureParts {
  const { database, masterKey, clock } = click;
  const as = (role: string): pg.Pool => createPool({ url: database.url, role, max: 2, name: "test-erasure" });
  const [pool, eraserPool] = [as("assent_click"), as("assent_click_eraser")];
  const integratorPool = as("assent_click_integrator");
  const logger = createLogger("test", "silent");
  const deps = {
    ...createEvidenceParts({
      pool,
      masterKeys: [masterKey],
      hashKey: () => masterKey,
      issuer: testIssuer,
      clock,
      logger,
    }),
    ...{ pool, eraserPool, integratorPool },
    logGuard: { passed: async () => true, isCurrent: async () => true, watch: async () => {} },
    setbacks: { areConfirmed: async () => true, list: async () => [], confirm: async () => 0 },
    templates: createTemplateSource(createClient(TemplatesService, click.templates.transport)),
    keys: createKeyHasher(() => masterKey),
    clock,
    newId,
    wakeRelay: () => {},
    wakeIntegrator: () => {},
    onErased: () => {},
  };
  return {
    deps,
    eraseDue: () => eraseDue(deps),
    close: async () => {
      await Promise.all([pool, eraserPool, integratorPool].map((one) => one.end()));
    },
  };
}
