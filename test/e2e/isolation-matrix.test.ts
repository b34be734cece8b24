import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Operation, operations } from "../../gateway/routes/operations.ts";
import type { Answer, Api } from "../support/api.ts";
import { bodyOf, consentTemplate, consentText, publishText } from "../support/journeys.ts";
import { describeInBothModes, type System, startSystem } from "../support/system.ts";

/** One of everything that an id can name, by what paths call it. */
type Resources = Readonly<Record<string, string>>;

/** A place of a request that takes an id: of the path, of the query (`?name`) or of the body (`name`). */
interface Place {
  readonly title: string;
  readonly operation: Operation;
  readonly at: string;
}

interface Sent {
  readonly path: string;
  readonly body?: unknown;
}

/** Bodies that lead to the id in question; everything else in them is the caller's own. */
const bodies: Readonly<Record<string, (id: string, own: Resources) => unknown>> = {
  "bulkArchiveTemplates templateIds[]": (id) => ({ templateIds: [id] }),
  "bulkDuplicateTemplates templateIds[]": (id) => ({ templateIds: [id] }),
  "createDeployment versionSelector.versionId": (id) => ({ versionSelector: { mode: "PINNED", versionId: id } }),
  "updateDeployment versionSelector.versionId": (id) => ({ versionSelector: { mode: "PINNED", versionId: id } }),
  "createSession templateId": (id) => ({ templateId: id, userRef: "user-1" }),
  "createSession versionId": (id, own) => ({ templateId: own.template, versionId: id }),
  "createSession deploymentId": (id, own) => ({ templateId: own.template, deploymentId: id }),
  "accept sessionId": (id) => ({ sessionId: id, userRef: "user-1" }),
  "accept templateId": (id) => ({ templateId: id, userRef: "user-1" }),
  "accept versionId": (id, own) => ({ templateId: own.template, userRef: "user-1", versionId: id }),
  "updateUserConsentState purposes[].templateId": (id) => ({
    purposes: [{ purpose: "marketing", decision: "GRANT", templateId: id }],
  }),
};

/** What the ids of queries and bodies name, by the last part of their names. */
const resourceOfField: Readonly<Record<string, string>> = {
  templateId: "template",
  templateIds: "template",
  versionId: "version",
  sessionId: "session",
  deploymentId: "deployment",
};

/** Names that only shape tells apart from those of the other organization. */
const unknownNames: Readonly<Record<string, () => string>> = {
  deploymentKey: () => `dep_${"z".repeat(22)}`,
  templateIdOrSlug: () => "no-such-template",
  userRef: () => "nobody",
};

/** Answers that are the same for everybody by design, so that there is no "not found" to expect. */
const answersAnyway = ["Consent", "listAcceptances", "bulk", "EmbedScript", "PageScript", "?"];

describeInBothModes("isolation of organizations", (mode) => {
  let system: System;
  let b: Api;
  let idsOfA: Resources;
  let idsOfB: Resources;

  beforeAll(async () => {
    system = await startSystem(mode);
    const a = await system.newOrganization();
    b = await system.newOrganization();
    idsOfA = await createResources(a, "of-a");
    idsOfB = await createResources(b, "of-b");
  }, 60_000);
  afterAll(async () => {
    await system?.stop();
  }, 60_000);

  const ask = async ({ operation, at }: Place, value: (resource: string) => string, own = idsOfB) => {
    const { path, body } = requestWith(operation, at, value, own);
    const headers: Record<string, string> = { accept: "application/json" };
    if (operation.needsIdempotencyKey) headers["x-idempotency-key"] = randomUUID();
    return b.call(operation.method, path, body, headers);
  };

  describe.each(places().map((place) => [place.title, place] as const))("%s", (_title, place) => {
    test("answers another organization's id exactly as an unknown one", async () => {
      const unknown = (resource: string) => unknownNames[resource]?.() ?? unknownId;
      const absent = await ask(place, unknown);
      const foreign = await ask(place, (resource) => valueIn(idsOfA, resource));
      const malformed = place.at === "path" ? await ask(place, (resource) => malformedName(resource)) : absent;
      const names = [...Object.values(idsOfA), ...Object.values(unknownNames).map((make) => make()), unknownId];
      expect(comparable(foreign, names)).toEqual(comparable(absent, names));
      expect(malformed.status).toBe(absent.status);
      if (answersAnyway.some((part) => place.title.includes(part))) expect(foreign.status).toBeLessThan(500);
      else expect([foreign.status, foreign.body.errorCode]).toEqual([404, expect.stringMatching(/_NOT_FOUND$/)]);
    });
  });

  test("every one of these requests reaches what is the caller's own", async () => {
    for (const place of places()) {
      const own = await createResources(b, `own-${randomUUID().slice(0, 8)}`);
      const answer = await ask(place, (resource) => valueIn(own, resource), own);
      expect([place.title, answer.status, answer.status === 404 ? answer.body : undefined]).toEqual([
        place.title,
        expect.any(Number),
        undefined,
      ]);
    }
  }, 60_000);
});

const unknownId = "0198c0de-0000-7000-8000-000000000000";

/** Every place of every operation that takes an id. */
function places(): Place[] {
  return operations.flatMap((operation) => {
    const inPath = operation.pathParams.length > 0 ? ["path"] : [];
    const all = [...inPath, ...operation.queryIds.map((name) => `?${name}`), ...operation.bodyIds];
    return all.map((at) => ({ title: `${operation.operationId} ${at}`, operation, at }));
  });
}

/** Fills the place with an id, and everything else with what is the caller's own. */
function requestWith(operation: Operation, at: string, value: (resource: string) => string, own: Resources): Sent {
  const path = operation.pathParams.reduce((filled, { name, resource }) => {
    const part = at === "path" ? value(resource) : valueIn(own, resource);
    return filled.replace(`{${name}}`, encodeURIComponent(part));
  }, operation.path);
  if (at.startsWith("?")) return { path: `${path}${at}=${encodeURIComponent(value(resourceAt(at)))}` };
  if (at === "path") return { path, body: pathBodies[operation.operationId] ?? operation.exampleBody };
  const make = bodies[`${operation.operationId} ${at}`];
  if (make === undefined) throw new Error(`no body leads to ${at} of ${operation.operationId}`);
  return { path, body: make(value(resourceAt(at)), own) };
}

/** Where the example of the description would be refused for another reason. */
const pathBodies: Readonly<Record<string, unknown>> = {
  updateUserConsentState: { purposes: { unknown_purpose: false } },
};

function resourceAt(place: string): string {
  const field = /(\w+)(\[\])?$/.exec(place)?.[1] ?? "";
  const resource = resourceOfField[field];
  if (resource === undefined) throw new Error(`nothing says what ${place} names`);
  return resource;
}

function valueIn(resources: Resources, resource: string): string {
  const value = resources[resource];
  if (value === undefined) throw new Error(`there is no ${resource} to fill a request with`);
  return value;
}

const malformedName = (resource: string): string =>
  resource === "userRef" ? "somebody else" : resource === "embedScriptHash" ? "0".repeat(32) : "no such thing";

/** An answer without what differs between any two requests, and without the names that were asked for. */
function comparable({ status, headers, body }: Answer, names: readonly string[]) {
  let text = JSON.stringify(body ?? null);
  for (const name of names) text = text.replaceAll(name, "<name>");
  const { requestId: _, asOf: __, receipts: ___, ...rest } = Object(JSON.parse(text));
  return { status, body: rest, type: headers.get("content-type"), etag: headers.get("etag") };
}

/** A published template of the slug that examples use, with everything that belongs to it. */
async function createResources(api: Api, name: string): Promise<Resources> {
  const slug = name.startsWith("own") ? name : "terms-of-service";
  const { templateId, versionId } = await publishText(api, { name: "Terms", type: "STATIC", slug }, "<p>Be kind.</p>");
  const consentSlug = `privacy-${name}`;
  await publishText(api, { ...consentTemplate, slug: consentSlug }, consentText);
  const deployment = bodyOf(
    201,
    await api.post(`/v1/click/templates/${templateId}/deployments`, { name: "Page", activate: true }),
  );
  // Another one that is not in use, so that it can change.
  const idle = bodyOf(201, await api.post(`/v1/click/templates/${templateId}/deployments`, { name: "Idle" }));
  const session = bodyOf(201, await api.post("/v1/click/sessions", { templateId, userRef: "user-1" }));
  const receipt = bodyOf(201, await api.accept(`key-${name}`, { templateId, userRef: `user ${name}/ö` }));
  const purposes = [{ purpose: "marketing", decision: "GRANT" }];
  bodyOf(200, await api.post(`/v1/click/consent/${encodeURIComponent(`user ${name}/ö`)}`, { purposes }));
  return {
    template: templateId,
    version: versionId,
    deployment: idle.id,
    session: session.id,
    receipt: receipt.receiptId,
    userRef: `user ${name}/ö`,
    deploymentKey: deployment.key,
    templateIdOrSlug: consentSlug,
    embedScriptHash: "0".repeat(32),
  };
}
