import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until } from "#platform/testing/until.ts";
import { describeWithPoppler } from "../../services/docgen/typesetting/test/poppler.ts";
import type { Api } from "../support/api.ts";
import { bodyOf } from "../support/journeys.ts";
import { type System, scenario } from "../support/system.ts";

const tool = (name: string, ...args: string[]): string =>
  execFileSync(name, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

const content = `<h1>Terms of <em>use</em></h1><p>Be kind &amp; <mark>fair</mark>. #panic("no")</p>
<ol reversed><li>second</li><li>first</li></ol><dl><dt>Law</dt><dd>Of the sea</dd></dl>
<table><caption>Prices</caption><tbody><tr><th>Plan</th><td>10 €</td></tr></tbody></table>`;

async function accept(api: Api): Promise<string> {
  const template = bodyOf(201, await api.post("/v1/click/templates", { name: "Terms", type: "STATIC" }));
  const versions = `/v1/click/templates/${template.id}/versions`;
  const version = bodyOf(201, await api.post(versions, { locale: "en", title: "Terms", content }));
  bodyOf(200, await api.post(`${versions}/${version.id}/publish`, {}));
  const session = bodyOf(201, await api.post("/v1/click/sessions", { templateId: template.id, userRef: "ada-1815" }));
  await api.accept("once", { sessionId: session.id, typedName: "Ada Lovelace", context: { ip: "198.51.100.9" } });
  return session.id;
}

async function fetchPdf(api: Api, sessionId: string, query = ""): Promise<{ response: Response; bytes: Buffer }> {
  const response = await fetch(`${api.baseUrl}/v1/click/evidence/${sessionId}?format=pdf${query}`, {
    headers: { authorization: `Bearer ${api.token}` },
  });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

export const evidenceAsPdf = scenario(
  "evidence as PDF",
  (_mode, running) => describeWithPoppler("in print", () => printedEvidence(running)),
  "distributed",
);

function printedEvidence(running: () => System): void {
  const folder = mkdtempSync(join(tmpdir(), "assent-evidence-pdf-"));
  let system: System;
  let api: Api;
  let sessionId: string;
  beforeAll(async () => {
    system = running();
    api = await system.newOrganization();
    sessionId = await accept(api);
    const bundle = () => api.get(`/v1/click/evidence/${sessionId}`);
    await until(async () => (await bundle()).body.integrity?.log?.treeSize !== undefined, 30_000);
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("is an archivable document for people, and holds the bundle that the verifier passes", async () => {
    const { response, bytes } = await fetchPdf(api, sessionId);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/pdf"]);
    expect(response.headers.get("content-disposition")).toBe(`attachment; filename="evidence-${sessionId}.pdf"`);
    const file = join(folder, "whole.pdf");
    writeFileSync(file, bytes);
    expect(tool("pdfinfo", file)).toMatch(/Title: +Evidence: Terms[\s\S]*Tagged: +yes[\s\S]*PDF version: +1\.7/);
    expect(tool("pdfinfo", "-meta", file)).toMatch(/pdfaid:part[>="]+3[\s\S]*pdfaid:conformance[>="]+A/);

    const saved = mkdtempSync(join(folder, "saved-"));
    tool("pdfdetach", "-saveall", "-o", saved, file);
    expect(readdirSync(saved).sort()).toEqual(["bundle.json", "content.html"]);
    expect(readFileSync(join(saved, "content.html"), "utf8")).toBe(content);
    const bundle = JSON.parse(readFileSync(join(saved, "bundle.json"), "utf8"));
    const [receipt] = bundle.receipts;

    const text = tool("pdftotext", "-layout", file, "-");
    for (const fact of [
      ...["ada-1815", "Ada Lovelace", "198.51.100.9", sessionId, receipt.receiptId, receipt.contentHash],
      ...[api.organizationId, bundle.integrity.leafHash, bundle.bundleId, receipt.signature.kid],
      ...["Terms of use", "Be kind & fair.", '#panic("no")', "2. second", "Law", "Of the sea", "Prices", "10 €"],
      ...[`Receipt ${receipt.receiptId} · page 1 of `, "verify-bundle.mjs bundle.json"],
    ]) {
      expect(text).toContain(fact);
    }

    const keys = await api.get(`/.well-known/click-keys.json?log=${api.organizationId}`);
    writeFileSync(join(saved, "keys.json"), JSON.stringify(keys.body));
    const report = tool(
      process.execPath,
      "dev/verify.ts",
      join(saved, "bundle.json"),
      "--keys",
      join(saved, "keys.json"),
    );
    expect(report).toContain("nothing failed");
  });

  test("says that personal data was left out when that is asked for", async () => {
    const { bytes } = await fetchPdf(api, sessionId, "&disclose=none");
    const file = join(folder, "nobody.pdf");
    writeFileSync(file, bytes);
    const text = tool("pdftotext", "-layout", file, "-");
    expect(text).toContain("Personal data was left out.");
    expect(text).not.toMatch(/ada-1815|Lovelace|198\.51/);
  });

  test("may be asked for again while nobody renders, and other forms are there", async () => {
    const [docgen] = system.distributed?.of("docgen") ?? [];
    await docgen?.stop();
    const { response, bytes } = await fetchPdf(api, sessionId).finally(() => docgen?.start());
    expect([response.status, JSON.parse(bytes.toString()).errorCode]).toEqual([503, "SERVICE_UNAVAILABLE"]);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await api.get(`/v1/click/evidence/${sessionId}`)).status).toBe(200);
  });
}
