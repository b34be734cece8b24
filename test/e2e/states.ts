import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "#platform/testing/until.ts";
import type { Answer, Api } from "../support/api.ts";
import { bodyOf } from "../support/journeys.ts";
import { type System, scenario } from "../support/system.ts";

const templates = "/v1/click/templates";

export const statesOfTemplates = scenario("states of templates and versions", (mode, running) => {
  let system: System;
  let api: Api;
  let stranger: Api;

  beforeAll(async () => {
    system = running();
    api = await system.newOrganization();
    stranger = await system.newOrganization();
  });

  const statusOf = async (owner: Api, id: string): Promise<string> =>
    bodyOf(200, await owner.get(`${templates}/${id}`)).status;
  const versionOf = async ({ templateId, versionId }: { templateId: string; versionId: string }) =>
    bodyOf(200, await api.get(`${templates}/${templateId}/versions/${versionId}`));
  const deploy = async (templateId: string): Promise<string> =>
    bodyOf(201, await api.post(`${templates}/${templateId}/deployments`, { name: "Page", activate: true })).id;
  const deactivate = async (id: string): Promise<void> => {
    bodyOf(200, await api.call("POST", `/v1/click/deployments/${id}/deactivate`));
  };
  const pathOf = ({ templateId, versionId }: { templateId: string; versionId: string }): string =>
    `${templates}/${templateId}/versions/${versionId}`;
  const expectRefusal = ({ status, body }: Answer, expected: number, errorCode: string): void =>
    expect([status, body.errorCode]).toEqual([expected, errorCode]);
  const newDraft = async (owner: Api, fields: object = {}): Promise<string> =>
    bodyOf(201, await owner.post(templates, { name: "Draft", type: "STATIC", ...fields })).id;

  describe("bulkArchiveTemplates", () => {
    test("archives what is its own and free, and skips the rest without failing", async () => {
      const draft = await newDraft(api);
      const { templateId: published } = await api.publishTemplate();
      const { templateId: deployed } = await api.publishTemplate();
      await deploy(deployed);
      const { templateId: foreign } = await stranger.publishTemplate();
      const unknown = randomUUID();
      const templateIds = [draft, foreign, published, deployed, unknown, draft];
      const summary = bodyOf(200, await api.post(`${templates}/bulk/archive`, { templateIds }));
      expect(summary).toEqual({
        archived: 2,
        skipped: [
          { id: foreign, reason: "not_found" },
          { id: deployed, reason: "has_active_deployments" },
          { id: unknown, reason: "not_found" },
        ],
      });
      expect(await statusOf(api, draft)).toBe("ARCHIVED");
      expect(await statusOf(api, published)).toBe("ARCHIVED");
      expect(await statusOf(api, deployed)).toBe("PUBLISHED");
      expect(await statusOf(stranger, foreign)).toBe("PUBLISHED");
      const again = bodyOf(200, await api.post(`${templates}/bulk/archive`, { templateIds: [draft] }));
      expect(again).toEqual({ archived: 1, skipped: [] });
    });

    test("archives once the deployment is inactive; an archived template takes no sessions, acceptances or changes", async () => {
      const text = await api.publishTemplate();
      const { templateId } = text;
      const accepted = bodyOf(201, await api.accept(`before-${mode}`, { templateId, userRef: "u" }));
      await deactivate(await deploy(templateId));
      const summary = bodyOf(200, await api.post(`${templates}/bulk/archive`, { templateIds: [templateId] }));
      expect(summary).toEqual({ archived: 1, skipped: [] });
      expect(bodyOf(200, await api.get(`${templates}/${templateId}`)).archivedAt).not.toBeNull();
      const refusals = [
        await api.post("/v1/click/sessions", { templateId }),
        await api.accept(`after-${mode}`, { templateId, userRef: "u" }),
        await api.call("PATCH", `${templates}/${templateId}`, { name: "Other" }),
        await api.post(`${templates}/${templateId}/versions`, { locale: "de", content: "<p>Text</p>" }),
      ];
      for (const refusal of refusals) expectRefusal(refusal, 409, "CLICK_TEMPLATE_ARCHIVED");
      bodyOf(200, await api.get(accepted.evidenceUrl));
      const replay = await api.accept(`before-${mode}`, { templateId, userRef: "u" });
      expect([replay.status, replay.body]).toEqual([200, accepted]);
      bodyOf(200, await api.call("PATCH", `${templates}/${templateId}`, { status: "DRAFT" }));
      expect(await statusOf(api, templateId)).not.toBe("ARCHIVED");
    });
  });

  describe("bulkDuplicateTemplates", () => {
    test("makes drafts with configuration and policy, but without versions, and skips what is not its own", async () => {
      const fields = { policyFlags: { requireScroll: true }, typeConfig: { downloadable: false } };
      const { templateId } = await api.publishTemplate({ name: "Source", slug: "source", ...fields });
      const { templateId: foreign } = await stranger.publishTemplate();
      const templateIds = [templateId, foreign, templateId];
      const summary = bodyOf(200, await api.post(`${templates}/bulk/duplicate`, { templateIds }));
      expect(summary).toEqual({
        duplicates: [{ sourceId: templateId, newId: expect.any(String), name: "Source (copy)" }],
        skipped: [{ id: foreign, reason: "not_found" }],
      });
      const { newId } = summary.duplicates[0];
      const copy = bodyOf(200, await api.get(`${templates}/${newId}?includeVersions=true`));
      const source = bodyOf(200, await api.get(`${templates}/${templateId}`));
      const { policyFlags, typeConfig } = source;
      expect(copy).toMatchObject({ status: "DRAFT", versions: [], policyFlags, typeConfig, currentVersions: {} });
      expect(copy.slug).not.toBe("source");
      expect(copy.createdAt > source.createdAt).toBe(true);
      const body = { templateIds: [templateId], namePattern: "{name} & {name}" };
      const named = bodyOf(200, await api.post(`${templates}/bulk/duplicate`, body));
      expect(named.duplicates[0].name).toBe("Source & Source");
      expect(await statusOf(api, templateId)).toBe("PUBLISHED");
    });
  });

  describe("removeTemplate", () => {
    test("is refused with active deployments, and then the template is gone while its evidence stays", async () => {
      const { templateId } = await api.publishTemplate();
      const receipt = bodyOf(201, await api.accept(`removed-${mode}`, { templateId, userRef: "u" }));
      const deployment = await deploy(templateId);
      const path = `${templates}/${templateId}`;
      expectRefusal(await api.call("DELETE", path), 400, "CLICK_TEMPLATE_HAS_ACTIVE_DEPLOYMENTS");
      expect(await statusOf(api, templateId)).toBe("PUBLISHED");
      await deactivate(deployment);
      expect((await stranger.call("DELETE", path)).status).toBe(404);
      expect((await api.call("DELETE", path)).status).toBe(204);
      expectRefusal(await api.get(path), 404, "CLICK_TEMPLATE_NOT_FOUND");
      expectRefusal(await api.call("DELETE", path), 404, "CLICK_TEMPLATE_NOT_FOUND");
      const bundle = bodyOf(200, await api.get(receipt.evidenceUrl));
      expect(bundle.agreement.content).toBe("<p>Be kind.</p>");
      expect(bodyOf(200, await api.get(`/v1/click/receipts/${receipt.receiptId}`))).toEqual(receipt);
    });
  });

  describe("publishVersion", () => {
    test("publishes, unpublishes and publishes again; only other content makes another revision", async () => {
      const text = await api.publishTemplate();
      const publish = `${pathOf(text)}/publish`;
      const first = await versionOf(text);
      expect(first).toMatchObject({ status: "PUBLISHED", isPublished: true, revision: 1, label: "1.0" });
      expect(bodyOf(200, await api.post(publish, {}))).toMatchObject({ revision: 1, publishedAt: first.publishedAt });
      const unpublished = bodyOf(200, await api.post(publish, { published: false }));
      expect(unpublished).toMatchObject({ isPublished: false, revision: 1 });
      expect(unpublished.unpublishedAt).not.toBeNull();
      expect(await statusOf(api, text.templateId)).toBe("DRAFT");
      expect(bodyOf(200, await api.get(`${templates}/${text.templateId}/versions/published`))).toEqual([]);
      expect(bodyOf(200, await api.post(publish, {}))).toMatchObject({ isPublished: true, revision: 1, label: "1.0" });
      for (const [requireReacceptance, content, revision, label] of [
        [false, "<p>Be kinder.</p>", 2, "1.1"],
        [true, "<p>Be kindest.</p>", 3, "2.0"],
      ] as const) {
        bodyOf(200, await api.post(publish, { published: false }));
        bodyOf(200, await api.call("PATCH", pathOf(text), { content }));
        const published = bodyOf(200, await api.post(publish, { requireReacceptance }));
        expect(published).toMatchObject({ content, revision, label, isPublished: true });
      }
      expect((await versionOf(text)).revisions).toHaveLength(3);
      expect(await statusOf(api, text.templateId)).toBe("PUBLISHED");
    });

    test("refuses an archived version, content that breaks the rules, and to take away what a deployment serves", async () => {
      const text = await api.publishTemplate();
      const deployment = await deploy(text.templateId);
      const unpublish = await api.post(`${pathOf(text)}/publish`, { published: false });
      expectRefusal(unpublish, 400, "CLICK_VERSION_HAS_ACTIVE_DEPLOYMENTS");
      await deactivate(deployment);
      bodyOf(200, await api.call("POST", `${pathOf(text)}/archive`));
      expectRefusal(await api.post(`${pathOf(text)}/publish`, {}), 400, "CLICK_VERSION_ARCHIVED");
      expect((await versionOf(text)).status).toBe("ARCHIVED");
      const templateId = await newDraft(api);
      const content = '<p onclick="x()">Be kind.</p>';
      const bad = bodyOf(201, await api.post(`${templates}/${templateId}/versions`, { locale: "en", content }));
      expect(bad.validation.valid).toBe(false);
      const answer = await api.post(`${templates}/${templateId}/versions/${bad.id}/publish`, {});
      expectRefusal(answer, 400, "CLICK_CONTENT_INVALID");
      expect(await statusOf(api, templateId)).toBe("DRAFT");
    });
  });

  describe("archiveVersion", () => {
    test("is refused while a deployment serves the version, and frees the locale", async () => {
      const text = await api.publishTemplate();
      const deployment = await deploy(text.templateId);
      const archive = () => api.call("POST", `${pathOf(text)}/archive`);
      expectRefusal(await archive(), 400, "CLICK_VERSION_HAS_ACTIVE_DEPLOYMENTS");
      expect((await versionOf(text)).status).toBe("PUBLISHED");
      await deactivate(deployment);
      const archived = bodyOf(200, await archive());
      expect(archived).toMatchObject({ status: "ARCHIVED", isPublished: false });
      expect(bodyOf(200, await archive())).toEqual(archived);
      expectRefusal(await api.call("PATCH", pathOf(text), { title: "T" }), 400, "CLICK_VERSION_ARCHIVED");
      const next = { locale: "en", content: "<p>Next.</p>" };
      bodyOf(201, await api.post(`${templates}/${text.templateId}/versions`, next));
      const taken = await api.post(`${templates}/${text.templateId}/versions`, next);
      expectRefusal(taken, 409, "CLICK_VERSION_LOCALE_EXISTS");
    });
  });

  describe("updateVersion", () => {
    test("changes a draft and refuses a published version, which stays as it is", async () => {
      const text = await api.publishTemplate();
      const before = await versionOf(text);
      const answer = await api.call("PATCH", pathOf(text), { content: "<p>Other.</p>", title: "Other" });
      expectRefusal(answer, 400, "CLICK_VERSION_PUBLISHED");
      expect(await versionOf(text)).toEqual(before);
      expect(answer.body.message).toContain("PUT …/draft");
      const next = { content: "<p>Next.</p>", ifUpdatedAt: before.updatedAt };
      bodyOf(200, await api.call("PUT", `${pathOf(text)}/draft`, next));
      expect(await versionOf(text)).toEqual({ ...before, draft: expect.anything() });
      const session = async () =>
        bodyOf(201, await api.post("/v1/click/sessions", { templateId: text.templateId, userRef: "user-1" }));
      const opened = await session();
      expect(bodyOf(200, await api.post(`${pathOf(text)}/publish`, {}))).toMatchObject({ revision: 2, draft: null });
      expect([opened.revision, (await session()).revision]).toEqual([1, 2]);
      const accepted = bodyOf(201, await api.accept(randomUUID(), { sessionId: opened.id }));
      expect(accepted).toMatchObject({ superseded: true, revision: 1 });
      bodyOf(200, await api.post(`${pathOf(text)}/publish`, { published: false }));
      const changed = bodyOf(200, await api.call("PATCH", pathOf(text), { content: "<p>Other.</p>" }));
      expect(changed).toMatchObject({ content: "<p>Other.</p>", title: null, revision: 2 });
      expect(changed.contentHash).not.toBe(before.contentHash);
    });
  });

  describe("drafts that are published while people accept", () => {
    test("no acceptance names a text that was not live between its request and its answer", async () => {
      const limits = { accept: 100_000, other: 100_000 };
      await system.admin.setOrganizationLimits({ organizationId: api.organizationId, limits });
      const text = await api.publishTemplate();
      const last = 12;
      /** The newest revision whose publication was asked for, and the newest that was answered. */
      let [asked, answered] = [1, 1];
      const accept = async (name: string) => {
        const wrong: unknown[] = [];
        for (let n = 0; answered < last; n += 1) {
          const atLeast = answered;
          const wish = { templateId: text.templateId, userRef: `${name}-${n}` };
          const { revision } = bodyOf(201, await api.accept(randomUUID(), wish));
          if (revision < atLeast || revision > asked) wrong.push({ atLeast, revision, asked });
        }
        return wrong;
      };
      const publishAll = async () => {
        for (let next = 2; next <= last; next += 1) {
          bodyOf(200, await api.call("PUT", `${pathOf(text)}/draft`, { content: `<p>Text ${next}.</p>` }));
          asked = next;
          const { revision } = bodyOf(200, await api.post(`${pathOf(text)}/publish`, {}));
          answered = revision;
        }
        return [];
      };
      const found = await Promise.all([...["ann", "ben", "cleo"].map(accept), publishAll()]);
      expect([answered, found.flat()]).toEqual([last, []]);
    });

    test("no acceptance names a scheduled text before its time, nor the one before it from then on", async () => {
      const text = await api.publishTemplate();
      /** When each revision went live. */
      const times = [0];
      const last = 6;
      let isOver = false;
      const accept = async (name: string) => {
        const named: { readonly revision: number; readonly at: number }[] = [];
        for (let n = 0; !isOver; n += 1) {
          const wish = { templateId: text.templateId, userRef: `${name}-${n}` };
          const { revision, acceptedAt } = bodyOf(201, await api.accept(randomUUID(), wish));
          named.push({ revision, at: Date.parse(acceptedAt) });
        }
        return named;
      };
      const scheduleAll = async () => {
        for (let next = 2; next <= last; next += 1) {
          bodyOf(200, await api.call("PUT", `${pathOf(text)}/draft`, { content: `<p>Text ${next}.</p>` }));
          const publishAt = new Date(Date.now() + 700).toISOString();
          const { schedule } = bodyOf(200, await api.post(`${pathOf(text)}/publish`, { publishAt }));
          expect(schedule.publishAt).toBe(publishAt);
          times.push(Date.parse(publishAt));
          await until(() => Date.now() > Date.parse(publishAt) + 50);
          expect(await versionOf(text)).toMatchObject({ revision: next, publishedAt: publishAt, schedule: null });
        }
        isOver = true;
        return [];
      };
      const named = (await Promise.all([...["ann", "ben", "cleo"].map(accept), scheduleAll()])).flat();
      const liveAt = (at: number) => times.filter((time) => time <= at).length;
      expect(named.filter(({ revision, at }) => revision !== liveAt(at))).toEqual([]);
      expect(new Set(named.map(({ revision }) => revision)).size).toBe(last);
    });
  });
});
