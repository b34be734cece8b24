import { createHash } from "node:crypto";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "#platform/testing/until.ts";
import type { Answer, Api } from "../support/api.ts";
import {
  bodyOf,
  consentTemplate,
  consentText,
  generatedTemplate,
  generatedText,
  publishText,
  republish,
  textPdf,
} from "../support/journeys.ts";
import { type System, scenario } from "../support/system.ts";
import { loadVerifier } from "../verify/support/verifier.ts";

const sessions = "/v1/click/sessions";

export const clickJourneys = scenario("click journeys", (_mode, running) => {
  let system: System;
  let api: Api;

  beforeAll(async () => {
    system = running();
  });

  const expectRefusal = ({ status, body }: Answer, expected: number, errorCode: string): void =>
    expect([status, body.errorCode]).toEqual([expected, errorCode]);
  const readJson = async (path: string, headers: Record<string, string> = {}) =>
    bodyOf(200, await api.call("GET", path, undefined, { accept: "application/json", ...headers }));

  describe("consent", () => {
    const consent = "/v1/click/consent/ada%40example.com";
    const both = (analytics: boolean, marketing: boolean) => [
      { purpose: "analytics", granted: analytics },
      { purpose: "marketing", granted: marketing },
    ];
    const statuses = (state: { consents: { purpose: string; status: string; valid: boolean }[] }) =>
      Object.fromEntries(state.consents.map(({ purpose, status, valid }) => [purpose, [status, valid]]));

    test("is given with an acceptance, read, withdrawn, told as of then, and asked for again after a major revision", async () => {
      api = await system.newOrganization();
      const { templateId, path } = await publishText(api, consentTemplate, consentText);
      const accept = (key: string, purposes: unknown) =>
        api.accept(key, { templateId, userRef: "ada@example.com", purposes });
      expect((await accept("c", both(false, true))).status).toBe(422);
      expect((await accept("c", [])).status).toBe(422);
      expect((await accept("c", [...both(true, true), { purpose: "other", granted: true }])).status).toBe(400);
      expect(bodyOf(200, await api.get(consent))).toMatchObject({ revision: 0, consents: [], agreements: [] });

      const receipt = bodyOf(201, await accept("c", both(true, true)));
      expect(receipt).toMatchObject({ templateType: "CONSENT", purposes: both(true, true) });
      const given = bodyOf(200, await api.get(consent));
      expect(statuses(given)).toEqual({ analytics: ["GRANTED", true], marketing: ["GRANTED", true] });
      expect(given.agreements).toMatchObject([
        { templateId, status: "ACCEPTED", isLatest: true, reacceptanceRequired: false, receiptId: receipt.receiptId },
      ]);

      const withdrawal = { purposes: [{ purpose: "marketing", decision: "WITHDRAW" }], reason: "Too many mails" };
      const stale = { "if-match": `"${given.revision + 7}"` };
      expectRefusal(await api.call("POST", consent, withdrawal, stale), 409, "CLICK_CONSENT_CONFLICT");
      const current = { "if-match": `"${given.revision}"` };
      const withdrawn = bodyOf(200, await api.call("POST", consent, withdrawal, current));
      expect(withdrawn.revision).toBe(given.revision + 1);
      expect(withdrawn.receipts).toHaveLength(1);
      expect(statuses(withdrawn)).toEqual({ analytics: ["GRANTED", true], marketing: ["WITHDRAWN", false] });
      expect(bodyOf(200, await api.post(consent, withdrawal)).revision).toBe(withdrawn.revision);
      const unknown = { purposes: [{ purpose: "unheard_of", decision: "GRANT" }] };
      expectRefusal(await api.post(consent, unknown), 422, "CLICK_PURPOSE_UNKNOWN");

      const { history } = bodyOf(200, await api.get(`${consent}?includeHistory=true`));
      expect(history[0]).toMatchObject({ type: "WITHDRAWN", purpose: "marketing", reason: "Too many mails" });
      const granted = history.slice(1).map((one: { type: string; purpose: string }) => `${one.type} ${one.purpose}`);
      expect(granted.sort()).toEqual(["GRANTED analytics", "GRANTED marketing"]);
      const then = bodyOf(200, await api.get(`${consent}?at=${receipt.acceptedAt}`));
      expect(statuses(then)).toEqual({ analytics: ["GRANTED", true], marketing: ["GRANTED", true] });
      const before = new Date(Date.parse(receipt.acceptedAt) - 1).toISOString();
      expect(bodyOf(200, await api.get(`${consent}?at=${before}`)).consents).toEqual([]);
      const bundle = bodyOf(200, await api.get(receipt.evidenceUrl));
      expect(bundle.after.withdrawals).toMatchObject([{ purpose: "marketing", type: "WITHDRAWN" }]);

      const agreement = async () => bodyOf(200, await api.get(consent)).agreements[0];
      await republish(api, path, consentText.replace("asks", "kindly asks"), false);
      expect(await agreement()).toMatchObject({ isLatest: false, reacceptanceRequired: false });
      await republish(api, path, consentText.replace("asks", "humbly asks"), true);
      expect(await agreement()).toMatchObject({ isLatest: false, reacceptanceRequired: true, revision: 1 });
      const again = bodyOf(201, await accept("d", both(true, false)));
      expect(await agreement()).toMatchObject({
        isLatest: true,
        reacceptanceRequired: false,
        revision: 3,
        versionLabel: "2.0",
        receiptId: again.receiptId,
      });
      expect((await accept("c", both(true, true))).body).toEqual(receipt);
      const listed = bodyOf(200, await api.get("/v1/click/acceptances?userRef=ada%40example.com"));
      expect(listed).toEqual([again, receipt]);
    });
  });

  describe("a text that is a PDF", () => {
    test("is uploaded, published, shown, accepted and proven, and hostile ones are refused", async () => {
      api = await system.newOrganization();
      const templates = "/v1/click/templates";
      const { id } = bodyOf(
        201,
        await api.post(templates, { name: "T", type: "STATIC", policyFlags: { showChanges: true } }),
      );
      const upload = (file: Uint8Array) =>
        api.post(`${templates}/${id}/files`, { documentBase64: Buffer.from(file).toString("base64") });
      const hostile = textPdf("Be kind.").toString("latin1");
      const script = hostile.replace(
        "<</Type/Catalog",
        "<</OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>/Type/Catalog",
      );
      const locked = hostile.replace("/Root 1 0 R", "/Root 1 0 R/Encrypt 3 0 R");
      const refused = ["%PDF-1.7 and no more", hostile.slice(0, 300), locked, script, textPdf("").toString("latin1")];
      for (const file of refused) {
        expectRefusal(await upload(Buffer.from(file, "latin1")), 400, "CLICK_VALIDATION_FAILED");
      }
      const bytesOf = async (path: string): Promise<Buffer> => {
        const answer = await fetch(`${api.baseUrl}${path}`, { headers: { authorization: `Bearer ${api.token}` } });
        if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
        return Buffer.from(await answer.arrayBuffer());
      };

      const file = bodyOf(201, await upload(textPdf("Be kind.", "The end (for now).")));
      expect(file).toMatchObject({ templateId: id, pages: 2 });
      const raw = await fetch(`${api.baseUrl}${templates}/${id}/files`, {
        ...{ method: "POST", body: textPdf("Be kind.", "The end (for now).") },
        headers: { authorization: `Bearer ${api.token}`, "content-type": "application/pdf" },
      });
      expect([raw.status, await raw.json()]).toEqual([201, file]);
      const fields = { locale: "en", title: "Terms", format: "pdf" };
      const versions = `${templates}/${id}/versions`;
      const version = bodyOf(201, await api.post(versions, { ...fields, content: file.content }));
      expect(version).toMatchObject({ contentHash: file.contentHash, format: "pdf", validation: { valid: true } });
      bodyOf(200, await api.post(`${versions}/${version.id}/publish`, {}));

      const session = bodyOf(201, await api.post(sessions, { templateId: id, userRef: "ada" }));
      const rendering = await readJson(`/v1/click/render/sessions/${session.id}`);
      expect(rendering.html).toBe(
        "<section>\n<p>Be kind.</p>\n</section>\n<section>\n<p>The end (for now).</p>\n</section>\n",
      );
      expect(rendering.pdf).toEqual({
        ...{ hash: file.hash, size: file.size },
        pages: [
          { width: 612, height: 792 },
          { width: 612, height: 792 },
        ],
      });
      const shown = await bytesOf(`/v1/click/render/sessions/${session.id}/pdf`);
      expect(await bytesOf(`${templates}/${id}/files/${file.contentHash}/content`)).toEqual(shown);
      expect(`sha256:${createHash("sha256").update(shown).digest("hex")}`).toBe(file.hash);
      const byToken = await fetch(`${session.renderUrl.replace("?", "/pdf?")}`);
      expect([byToken.status, Buffer.from(await byToken.arrayBuffer())]).toEqual([200, shown]);
      const receipt = bodyOf(
        201,
        await api.accept("pdf", { sessionId: session.id, renderToken: rendering.renderToken }),
      );
      expect(receipt.contentHash).toBe(file.contentHash);
      const bundle = bodyOf(200, await api.get(receipt.evidenceUrl));
      expect(bundle.agreement).toMatchObject({ content: file.content, contentHash: file.contentHash });
      expect(Buffer.from(bundle.agreement.pdf.content, "base64")).toEqual(shown);
      const { checks } = await (await loadVerifier())(bundle);
      expect(checks.filter(({ check }) => check === "PDF_HASH")).toMatchObject([{ status: "PASS" }]);
      expect(checks.filter(({ status }) => status === "FAIL")).toEqual([]);

      const next = bodyOf(201, await upload(textPdf("Be very kind.", "The end (for now).")));
      const draft = { title: "Terms", format: "pdf", content: next.content };
      bodyOf(200, await api.call("PUT", `${versions}/${version.id}/draft`, draft));
      bodyOf(200, await api.post(`${versions}/${version.id}/publish`, {}));
      const again = bodyOf(201, await api.post(sessions, { templateId: id, userRef: "ada" }));
      const { changes, pdf } = await readJson(`/v1/click/render/sessions/${again.id}`);
      expect(changes.html).toMatch(/<ins>.*very.*<\/ins>/);
      expect(pdf.hash).toBe(next.hash);
    });
  });

  describe("a GENERATED template", () => {
    test("shows the merged text, and receipt and evidence are bound to exactly that text", async () => {
      api = await system.newOrganization();
      const { templateId } = await publishText(api, generatedTemplate, generatedText);
      expectRefusal(await api.post(sessions, { templateId, userRef: "u" }), 422, "CLICK_DATA_INVALID");
      const data = { buyer: "Ada & <b>Co</b>" };
      const session = bodyOf(201, await api.post(sessions, { templateId, userRef: "u", data }));
      const rendering = await readJson(`/v1/click/render/sessions/${session.id}`);
      expect(rendering.html).toContain("Ada &amp; &lt;b&gt;Co&lt;/b&gt; buys.");
      const renderHash = `sha256:${createHash("sha256").update(rendering.html).digest("hex")}`;
      expect([session.renderHash, rendering.renderHash]).toEqual([renderHash, renderHash]);
      const receipt = bodyOf(201, await api.accept("g", { sessionId: session.id, renderToken: rendering.renderToken }));
      expect(receipt).toMatchObject({ renderHash, contentHash: session.contentHash });
      expect(renderHash).not.toBe(session.contentHash);
      const { agreement } = bodyOf(200, await api.get(receipt.evidenceUrl));
      expect(agreement).toMatchObject({ content: generatedText, rendered: rendering.html, renderHash, data });
      const other = bodyOf(201, await api.post(sessions, { templateId, userRef: "u", data: { buyer: "Bob" } }));
      expect(other.renderHash).not.toBe(renderHash);
      const wrong = await api.accept("h", { sessionId: other.id, renderToken: rendering.renderToken });
      expectRefusal(wrong, 422, "CLICK_RENDER_TOKEN_INVALID");
    });
  });

  describe("a deployment whose policy asks for proof of display", () => {
    test("is accepted only with the token of what was shown, after it was shown long enough", async () => {
      api = await system.newOrganization();
      const policyFlags = { requireRenderToken: true, minDisplaySeconds: 2 };
      const { templateId } = await publishText(api, { name: "T", type: "STATIC", policyFlags }, "<p>Be kind.</p>");
      const fields = { name: "Page", allowedOrigins: ["https://www.example.com"], activate: true };
      const deployment = bodyOf(201, await api.post(`/v1/click/templates/${templateId}/deployments`, fields));
      const path = `/v1/click/render/${deployment.key}`;
      const elsewhere = await api.call("GET", path, undefined, { origin: "https://evil.example" });
      expectRefusal(elsewhere, 403, "CLICK_ORIGIN_NOT_ALLOWED");
      const rendering = await readJson(`${path}?userRef=ada`, { origin: "https://www.example.com" });
      expect(rendering).toMatchObject({ deploymentKey: deployment.key, templateId, alreadyAccepted: false });
      const accept = (changes: object) => api.accept("dep", { templateId, userRef: "ada", ...changes });
      const { renderToken } = rendering;
      expectRefusal(await accept({ renderToken }), 422, "CLICK_POLICY_NOT_SATISFIED");
      expectRefusal(await accept({}), 422, "CLICK_RENDER_TOKEN_INVALID");
      expectRefusal(await accept({ renderToken, userRef: "bob" }), 422, "CLICK_RENDER_TOKEN_INVALID");
      const forged = `${renderToken.slice(0, -6)}AAAAAA`;
      expectRefusal(await accept({ renderToken: forged }), 422, "CLICK_RENDER_TOKEN_INVALID");
      let answer = await accept({ renderToken });
      await until(async () => {
        answer = await accept({ renderToken });
        return answer.status !== 422;
      });
      const receipt = bodyOf(201, answer);
      expect(receipt).toMatchObject({ deploymentId: deployment.id, renderHash: rendering.renderHash });
      const shownMs = Date.parse(receipt.acceptedAt) - Date.parse(rendering.renderedAt);
      expect(shownMs).toBeGreaterThanOrEqual(1_000);
      const { presentation, agreement, policy } = bodyOf(200, await api.get(receipt.evidenceUrl));
      expect(presentation.deployment).toMatchObject({ allowedOrigins: fields.allowedOrigins });
      expect(presentation.deploymentHash).toBe(deployment.snapshotHash);
      expect(agreement).toMatchObject({ rendered: rendering.html, renderHash: rendering.renderHash });
      const ofPolicy = (flag: string) => policy.checks.find((check: { flag: string }) => check.flag === flag);
      for (const flag of Object.keys(policyFlags)) expect(ofPolicy(flag)).toMatchObject({ source: "SERVER", ok: true });
      expect((await readJson(`${path}?userRef=ada`)).alreadyAccepted).toBe(true);
    });
  });

  describe("sessions that end without an acceptance, and the statistics", () => {
    test("are presented, declined, cancelled or closed, and all of it is counted", async () => {
      api = await system.newOrganization();
      const strict = await api.publishTemplate();
      const policyFlags = { allowDecline: true };
      const { templateId } = await publishText(api, { name: "D", type: "STATIC", policyFlags }, "<p>Be kind.</p>");
      const open = async (userRef: string, id = templateId) =>
        bodyOf(201, await api.post(sessions, { templateId: id, userRef }));
      const decline = (key: string, sessionId: string) => api.accept(key, { sessionId, decision: "DECLINE" });
      const refused = await decline("no", (await open("u", strict.templateId)).id);
      expectRefusal(refused, 422, "CLICK_POLICY_NOT_SATISFIED");

      const shown = await open("presented");
      const page = await fetch(new URL(shown.renderUrl, api.baseUrl), { headers: { accept: "text/html" } });
      expect([page.status, (await page.text()).includes("Be kind.")]).toEqual([200, true]);
      const presented = bodyOf(200, await api.get(`${sessions}/${shown.id}`));
      expect(presented).toMatchObject({ status: "PRESENTED", presentedAt: expect.any(String) });

      const declined = await open("declines");
      expect(bodyOf(201, await decline("yes", declined.id))).toMatchObject({ decision: "DECLINE" });
      const read = bodyOf(200, await api.get(`${sessions}/${declined.id}`));
      expect(read).toMatchObject({ status: "DECLINED", outcome: "DECLINED" });
      expectRefusal(await api.accept("late", { sessionId: declined.id }), 409, "CLICK_SESSION_CLOSED");

      const cancelled = await open("cancels");
      const path = `${sessions}/${cancelled.id}`;
      expect(bodyOf(200, await api.call("DELETE", path)).status).toBe("CANCELLED");
      expect(bodyOf(200, await api.call("DELETE", path)).status).toBe("CANCELLED");
      expectRefusal(await api.accept("late", { sessionId: cancelled.id }), 409, "CLICK_SESSION_CLOSED");

      const left = await open("leaves");
      const closed = bodyOf(200, await api.post(`${sessions}/${left.id}/complete`, {}));
      expect(closed).toMatchObject({ status: "COMPLETED", outcome: "NONE", receipts: [] });
      expect(bodyOf(200, await api.get(`/v1/click/evidence/${left.id}`)).receipts).toEqual([]);

      const accepted = await open("accepts");
      bodyOf(200, await api.post(`${sessions}/${accepted.id}/complete`, { outcome: "ACCEPTED" }));
      bodyOf(201, await api.accept("direct", { templateId, userRef: "direct" }));

      const stats = async () => bodyOf(200, await api.get(`/v1/click/templates/${templateId}/stats`));
      await stats();
      // The events may arrive in any order.
      const counted = await until(async () => {
        const now = await stats();
        const { created, completed, declined, cancelled } = now.sessions;
        return now.acceptances.total + created + completed + declined + cancelled === 11 && now;
      });
      expect(counted).toMatchObject({
        sessions: { created: 5, presented: 1, accepted: 1, completed: 2, declined: 1, expired: 0, cancelled: 1 },
        acceptances: { total: 2, uniqueUsers: 2, direct: 1, withSession: 1, last24h: 2 },
        declines: 1,
        byLocale: [{ locale: "en", acceptances: 2 }],
        versions: { total: 1, published: 1, archived: 0 },
      });
    });
  });
});
