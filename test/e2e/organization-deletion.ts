import { createPublicKey, verify } from "node:crypto";
import { expect } from "@jest/globals";
import type pg from "pg";
import { DeletionStatus } from "#gen/assent/auth/v1/auth_pb.ts";
import { dumpTables, findIn } from "#platform/testing/database-dump.ts";
import { until } from "#platform/testing/until.ts";
import type { Api } from "../support/api.ts";
import { bodyOf, publishText } from "../support/journeys.ts";
import type { System } from "../support/system.ts";

/** Deletes an organization that has used the product, of which these values must not be found any more. */
export async function deleteOrganization(system: System, api: Api, inspector: pg.Pool, values: readonly string[]) {
  const { organizationId } = api;
  const others = await system.newOrganization();
  const { templateId } = await publishText(others, { name: "Terms", type: "STATIC", slug: "terms" }, "<p>Be kind.</p>");
  const receipt = bodyOf(201, await others.accept("key of others", { templateId, userRef: "ann" }));
  const { rows: named } = await inspector.query("select name from auth.organization where organization_id = $1", [
    organizationId,
  ]);
  const { deletion } = await system.admin.deleteOrganization({
    ...{ organizationId, name: named[0]?.name, requestedBy: "Olga of operations" },
  });
  expect(deletion?.status).toBe(DeletionStatus.SCHEDULED);
  expect((await api.get("/v1/sign/agreements")).status).toBe(200);

  const read = async () => (await system.admin.getOrganizationDeletion({ organizationId })).deletion;
  /** Nobody waits for seven days, nor until all that had begun is over. */
  const hurry = () =>
    inspector.query(
      "update auth.organization_deletion set run_at = now() where organization_id = $1 and claim is null",
      [organizationId],
    );
  const untilIs = (status: DeletionStatus) =>
    until(async () => {
      const found = await read();
      if (found?.status === status) return found;
      if (found?.status !== DeletionStatus.COMPLETED) await hurry();
      return false;
    }, 60_000);
  await untilIs(DeletionStatus.RUNNING);
  await until(async () => (await api.get("/v1/sign/agreements")).status === 401, 20_000);
  const stable = async () =>
    (await dumpTables(inspector))
      .split("\n")
      .filter((row) => row.includes(others.organizationId) && !changing.test(row));
  const before = await stable();
  const { certificate, id } = await untilIs(DeletionStatus.COMPLETED);

  const left = (await dumpTables(inspector)).split("\n").filter((row) => findIn(row, [organizationId]).length > 0);
  // The windows of its budgets, in which its id stands, go by themselves within minutes.
  const tables = left.map((row) => row.split(":")[0]).filter((table) => table !== "gateway.rate_window");
  expect(tables).toEqual(["auth.organization_deletion"]);
  const dump = (await dumpTables(inspector)).split("\n").filter((row) => !row.includes(others.organizationId));
  expect(findIn(dump.join("\n"), [...values, api.token])).toEqual([]);
  expect(await stable()).toEqual(before);
  expect(bodyOf(200, await others.get(`/v1/click/receipts/${receipt.receiptId}`))).toEqual(receipt);

  // As docs/privacy.md says.
  const { keys } = bodyOf(200, await others.get("/.well-known/jwks.json"));
  const [header = "", payload = "", signature = ""] = certificate.split(".");
  const said = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
  const key = keys.find(({ kid }: { kid: string }) => kid === said(header).kid);
  const isValid = (text: string) =>
    verify(null, Buffer.from(text), createPublicKey({ key, format: "jwk" }), Buffer.from(signature, "base64url"));
  expect([isValid(`${header}.${payload}`), isValid(`${header}.${payload}x`)]).toEqual([true, false]);
  expect(said(header)).toMatchObject({ alg: "EdDSA", typ: "destruction-certificate+jws" });
  const { destroyed, log, ...certified } = said(payload);
  expect(certified).toMatchObject({
    ...{ kind: "assent.organization.destroyed", org: organizationId, deletion: id },
    requestedBy: "Olga of operations",
  });
  expect(destroyed).toMatchObject({
    auth: { organization: 1 },
    sign: { agreement: 2, recipient: 2 },
    click: { acceptance: 2 },
    webhooks: { endpoint: 1 },
  });
  expect(Object.keys(destroyed).sort()).toEqual(["auth", "click", "sign", "templates", "webhooks"]);
  expect(log.checkpoint).toContain(`/${organizationId}\n${destroyed.click.log_leaf}\n`);
}

/** What goes on in the background, and when and how much something was used. */
const changing =
  /^(auth\.(api_key|request_day|gateway_report)|webhooks\.use_day|click\.(log_|anchor|stat_)|[a-z]+\.outbox)/;
