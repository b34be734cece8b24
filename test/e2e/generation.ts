import { beforeAll, expect, test } from "@jest/globals";
import { strFromU8, unzipSync } from "fflate";
import { until } from "#platform/testing/until.ts";
import type { Api } from "../support/api.ts";
import { bodyOf } from "../support/journeys.ts";
import { type System, scenario } from "../support/system.ts";

const templates = "/v1/gen/templates";
const documents = "/v1/gen/documents";
const content = "<h1>Offer {{ number }}</h1><p>{{ customer }} pays {{ total | money: 'EUR' }}.</p>";
const data = { number: "17", customer: "Example AG", total: 120.5 };
const rateHeaders = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after"];

export const documentGeneration = scenario("document generation", (_mode, running) => {
  let system: System;
  let owner: Api;
  let templateId: string;
  let documentId: string;

  beforeAll(async () => {
    system = running();
    owner = await system.newOrganization();
  });

  const download = async (path: string): Promise<Uint8Array> => {
    const response = await fetch(owner.baseUrl + path, { headers: { authorization: `Bearer ${owner.token}` } });
    expect(response.status).toBe(200);
    return new Uint8Array(await response.arrayBuffer());
  };

  test("a template is validated, created and published, and knows what data it takes", async () => {
    const valid = bodyOf(200, await owner.post(`${templates}/validate`, { content, format: "html", data }));
    expect(valid).toEqual({ valid: true, errors: [] });
    const bad = bodyOf(200, await owner.post(`${templates}/validate`, { content: "<script>", format: "html" }));
    expect(bad).toMatchObject({ valid: false, errors: [{ line: 1, column: 1 }] });
    const created = bodyOf(201, await owner.post(templates, { name: "Offer", format: "html", content }));
    templateId = created.id;
    const published = bodyOf(200, await owner.post(`${templates}/${templateId}/publish`, undefined));
    expect(published).toMatchObject({ publishedVersion: 1, hasChanges: false });
    const schema = bodyOf(200, await owner.get(`${templates}/${templateId}/schema`));
    expect(Object.keys(schema.properties).sort()).toEqual(["customer", "number", "total"]);
  });

  test("a document is rendered, downloaded, listed and counted", async () => {
    const answer = await owner.post(documents, {
      templateId,
      data,
      locale: "de-DE",
      output: { fileName: "Offer.pdf" },
    });
    const document = bodyOf(201, answer);
    documentId = document.id;
    expect(document).toMatchObject({ status: "completed", templateId, version: 1, pages: 1, error: null });
    for (const name of rateHeaders)
      expect([name, answer.headers.get(name)]).toEqual([name, expect.stringMatching(/^\d+$/)]);
    const bytes = await download(document.contentUrl);
    expect([strFromU8(bytes.subarray(0, 4), true), bytes.length]).toEqual(["%PDF", document.bytes]);
    const listed = bodyOf(200, await owner.get(documents));
    expect(listed.map(({ id }: { id: string }) => id)).toEqual([documentId]);
    expect(bodyOf(200, await owner.get("/v1/gen/usage"))).toMatchObject({
      plan: "gen_pro",
      hour: { limit: 600, used: 1 },
    });
  });

  test("data that does not fit is refused and takes no slot", async () => {
    const { body } = await owner.post(documents, { templateId, data: { ...data, total: "much" } });
    expect(body).toMatchObject({ code: "invalid_data", details: { path: "/total" } });
    expect(bodyOf(200, await owner.get("/v1/gen/usage")).hour.used).toBe(1);
  });

  test("a batch makes what it can and says what became of the rest", async () => {
    const items = [
      { ref: "good-1", data },
      { ref: "bad", data: { number: "18" } },
      { ref: "good-2", data: { ...data, number: "19" } },
    ];
    const batch = bodyOf(202, await owner.post("/batches", { templateId, items }));
    expect(batch.counts.total).toBe(3);
    const path = `/batches/${batch.id}`;
    const ended = await until(async () => {
      const read = bodyOf(200, await owner.get(path));
      return ["queued", "running"].includes(read.status) ? undefined : read;
    });
    expect(ended).toMatchObject({
      status: "completed_with_errors",
      counts: { total: 3, queued: 0, completed: 2, failed: 1, cancelled: 0 },
    });
    const failed = bodyOf(200, await owner.get(`${path}/items?state=failed`));
    expect(failed).toMatchObject([{ index: 1, ref: "bad", status: "failed", error: { code: "invalid_data" } }]);
    const files = unzipSync(await download(`${path}/archive`));
    expect(Object.keys(files)).toEqual(["0001-good-1.pdf", "0003-good-2.pdf", "manifest.json"]);
    expect(strFromU8((files["0001-good-1.pdf"] as Uint8Array).subarray(0, 4), true)).toBe("%PDF");
    expect(bodyOf(200, await owner.get("/v1/gen/usage")).hour.used).toBe(2);
  });

  test("a key makes one document, and a deleted document is gone", async () => {
    const key = { "x-idempotency-key": "offer 20" };
    const first = bodyOf(201, await owner.call("POST", documents, { templateId, data }, key));
    const again = await owner.call("POST", documents, { templateId, data }, key);
    expect([bodyOf(201, again).id, again.headers.get("idempotent-replayed")]).toEqual([first.id, "true"]);
    bodyOf(204, await owner.call("DELETE", `${documents}/${documentId}`));
    expect((await owner.get(`${documents}/${documentId}`)).body.code).toBe("document_not_found");
    expect((await owner.get(`${documents}/${documentId}/content`)).status).toBe(404);
  });
});
