import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Operation, operations } from "../../gateway/routes/operations.ts";
import type { Answer, Api } from "../support/api.ts";
import { bodyOf, consentTemplate, consentText, publishText } from "../support/journeys.ts";
import { describeInBothModes, type System, startSystem } from "../support/system.ts";

/** One of everything that an id can name, by what paths call it. */
type Resources = Readonly<Record<string, string>>;

/**
 * A place of a request that takes an id: all of the path (`path`), one parameter of it while the others are the caller's
 * own (`{name}`), the query (`?name`) or the body (`name`).
 */
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
  "updateDeployment versionSelector.versionId": (id) => ({
    versionSelector: { mode: "PINNED", versionId: id },
    force: true,
  }),
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
  log: "organization",
  receiptId: "receipt",
};

/** Names that only shape tells apart from those of the other organization. */
const unknownNames: Readonly<Record<string, () => string>> = {
  deploymentKey: () => `dep_${"z".repeat(22)}`,
  templateIdOrSlug: () => "no-such-template",
  userRef: () => "nobody",
  embedScriptHash: () => "f".repeat(32),
};

/** What answers ids that name nothing with an empty result, or is no organization's own. */
const answersAnyway = [
  "bulkArchiveTemplates templateIds[]",
  "bulkDuplicateTemplates templateIds[]",
  "getTemplateStats ?versionId",
  "listAcceptances ?templateId",
  "getUserConsentState path",
  "getUserConsentState ?templateId",
  "updateUserConsentState path",
  "eraseUser path",
  "updateUserConsentState purposes[].templateId",
  "getEmbedScript path",
  "getPinnedEmbedScript path",
  "getPinnedEmbedScript {deploymentKey}",
  "getPinnedEmbedScript {hash}",
  "getPageScript path",
  "getClickLogKeys ?log",
  "getClickKeys ?log",
];

/** Operations after which others find less. */
const ending = /^(remove|cancel|erase|bulkArchive|archive|deactivate)/;

/** In every log tiles are numbered from 0: there is no name of another organization's tile to ask for. */
const withIds = operations.filter(({ path }) => !path.startsWith("/v1/click/log/tile/"));

/** Every place of every operation that takes an id. */
const allPlaces: readonly Place[] = withIds.flatMap((operation) => {
  const { pathParams } = operation;
  const alone = pathParams.length > 1 ? pathParams.map(({ name }) => `{${name}}`) : [];
  const all = [
    ...(pathParams.length > 0 ? ["path"] : []),
    ...alone,
    ...operation.queryIds.map((name) => `?${name}`),
    ...operation.bodyIds,
  ];
  return all.map((at) => ({ title: `${operation.operationId} ${at}`, operation, at }));
});
const protectedPlaces = allPlaces.filter(({ operation }) => operation.scopes.length > 0);
const unknownId = "0198c0de-0000-7000-8000-000000000000";

describeInBothModes("isolation of organizations", (mode) => {
  let system: System;
  let b: Api;
  let idsOfA: Resources;
  let idsOfB: Resources;
  let a: Api;
  let before: unknown;

  beforeAll(async () => {
    system = await startSystem(mode);
    a = await system.newOrganization();
    b = await system.newOrganization();
    idsOfA = await createResources(a, "of-a");
    idsOfB = await createResources(b, "of-b");
    before = await everythingOf(a, idsOfA);
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

  describe.each(allPlaces.map((place) => [place.title, place] as const))("%s", (_title, place) => {
    test("answers another organization's id exactly as an unknown one", async () => {
      const unknown = (resource: string) => unknownNames[resource]?.() ?? unknownId;
      const absent = await ask(place, unknown);
      const foreign = await ask(place, (resource) => valueIn(idsOfA, resource));
      const names = [...Object.values(idsOfA), ...Object.values(unknownNames).map((make) => make()), unknownId];
      expect(comparable(foreign, names)).toEqual(comparable(absent, names));
      if (answersAnyway.includes(place.title)) expect(foreign.status).toBeLessThan(500);
      else expect([foreign.status, foreign.body.errorCode]).toEqual([404, expect.stringMatching(/_NOT_FOUND$/)]);
    });
  });

  test("all of that has changed nothing of the other organization", async () => {
    expect(await everythingOf(a, idsOfA)).toEqual(before);
  });

  // Without this a request that fails for another reason would prove nothing.
  test.each(protectedPlaces.map((place) => [place.title, place] as const))(
    "%s finds an id of its own",
    async (_title, place) => {
      const own = ending.test(place.operation.operationId) ? await createResources(b, `own-${randomUUID()}`) : idsOfB;
      const answer = await ask(place, (resource) => valueIn(own, resource), own);
      expect(answer.status === 404 || answer.status >= 500 ? answer : undefined).toBeUndefined();
    },
  );
});

/** Fills the place with an id, and everything else with what is the caller's own. */
function requestWith(operation: Operation, at: string, value: (resource: string) => string, own: Resources): Sent {
  const path = operation.pathParams.reduce((filled, { name, resource }) => {
    const part = at === "path" || at === `{${name}}` ? value(resource) : valueIn(own, resource);
    return filled.replace(`{${name}}`, encodeURIComponent(part));
  }, operation.path);
  if (at.startsWith("?")) return { path: `${path}${at}=${encodeURIComponent(value(resourceAt(at)))}` };
  if (/^(path|\{)/.test(at)) return { path, body: pathBodies[operation.operationId] ?? operation.exampleBody };
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

/** An answer without what differs between any two requests, and without the names that were asked for. */
function comparable({ status, headers, body }: Answer, names: readonly string[]) {
  let text = JSON.stringify(body ?? null);
  for (const name of names) text = text.replaceAll(name, "<name>");
  // The id of a verifier key is a hash of the name of its log.
  text = text.replaceAll(/\+[0-9a-f]{8}\+/g, "+<key id>+");
  // What a success creates has an id, a time and a place in the log of its own.
  if (status < 300) {
    text = text.replaceAll(/"[0-9a-f-]{36}"|"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"<new>"');
    text = text.replaceAll(/"(leafIndex|leafHash|jws)":("[^"]*"|\d+)/g, '"$1":"<new>"');
  }
  const { requestId: _, ...rest } = Object(JSON.parse(text));
  return { status, body: rest, type: headers.get("content-type"), etag: headers.get("etag") };
}

/** A published template with everything that belongs to it. */
async function createResources(api: Api, name: string): Promise<Resources> {
  const slug = `terms-${name}`;
  const { templateId, versionId } = await publishText(api, { name: "Terms", type: "STATIC", slug }, "<p>Be kind.</p>");
  await publishText(api, { ...consentTemplate, slug: `privacy-${name}` }, consentText);
  const deployment = bodyOf(
    201,
    await api.post(`/v1/click/templates/${templateId}/deployments`, { name: "Page", activate: true }),
  );
  const session = bodyOf(201, await api.post("/v1/click/sessions", { templateId, userRef: "user-1" }));
  const receipt = bodyOf(201, await api.accept(`key-${name}`, { templateId, userRef: `user ${name}/ö` }));
  const purposes = [{ purpose: "marketing", decision: "GRANT" }];
  bodyOf(200, await api.post(`/v1/click/consent/${encodeURIComponent(`user ${name}/ö`)}`, { purposes }));
  return {
    organization: api.organizationId,
    template: templateId,
    version: versionId,
    deployment: deployment.id,
    session: session.id,
    receipt: receipt.receiptId,
    userRef: `user ${name}/ö`,
    deploymentKey: deployment.key,
    templateIdOrSlug: slug,
    embedScriptHash: "0".repeat(32),
  };
}

/** Whatever an organization can read of its own, but for the time of reading. */
async function everythingOf(api: Api, ids: Resources): Promise<unknown[]> {
  const paths = [
    "/v1/click/templates?includeVersions=true",
    "/v1/click/acceptances",
    `/v1/click/templates/${ids.template}/deployments`,
    `/v1/click/sessions/${ids.session}`,
    `/v1/click/consent/${encodeURIComponent(valueIn(ids, "userRef"))}?includeHistory=true`,
  ];
  const bodies = await Promise.all(paths.map(async (path) => bodyOf(200, await api.get(path))));
  return bodies.map((body) => (Array.isArray(body) ? body : { ...body, asOf: undefined }));
}
