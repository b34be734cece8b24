import { type Operation, operations } from "../../gateway/routes/operations.ts";
import { generationAnswersAnyway, generationBodies, generationResourceAt } from "./generation-resources.ts";
import { type Resources, valueIn } from "./resources.ts";
import {
  compatPlaces,
  isNobodys,
  makesWhatItNames,
  sharedNames,
  signAnswersAnyway,
  signBodies,
  signPathBodies,
  signResourceAt,
  signResourceIn,
} from "./sign-resources.ts";
import { webhookAnswersAnyway } from "./webhook-resources.ts";

/**
 * A place of a request that takes an id: all of the path (`path`), one parameter of it while the others are the caller's
 * own (`{name}`), the query (`?name`) or the body (`name`).
 */
export interface Place {
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
  "createTemplate brandId": (id) => ({ name: "Terms", type: "STATIC", brandId: id }),
  "updateTemplate brandId": (id) => ({ brandId: id }),
  "createDeployment brandId": (id) => ({ brandId: id }),
  "updateDeployment brandId": (id) => ({ brandId: id }),
  "createSession templateId": (id) => ({ templateId: id, userRef: "user-1" }),
  "createSession versionId": (id, own) => ({ templateId: own.template, versionId: id }),
  "createSession deploymentId": (id, own) => ({ templateId: own.template, deploymentId: id }),
  "accept sessionId": (id) => ({ sessionId: id, userRef: "user-1" }),
  "accept templateId": (id) => ({ templateId: id, userRef: "user-1" }),
  "accept versionId": (id, own) => ({ templateId: own.template, userRef: "user-1", versionId: id }),
  "createExport acceptances.templateId": (id) => ({ acceptances: { format: "csv", templateId: id } }),
  "createCampaign templateId": (id) => ({ name: "Terms", templateId: id, dueAt: "2036-12-31T23:00:00Z" }),
  "createCampaign versionId": (id, own) => ({
    ...{ name: "Terms", templateId: own.template, versionId: id, dueAt: "2036-12-31T23:00:00Z" },
  }),
  "createExport acceptances.campaignId": (id) => ({ acceptances: { format: "csv", campaignId: id } }),
  "createExport acceptances.versionId": (id) => ({ acceptances: { format: "csv", versionId: id } }),
  "updateUserConsentState purposes[].templateId": (id) => ({
    purposes: [{ purpose: "marketing", decision: "GRANT", templateId: id }],
  }),
  ...generationBodies,
  ...signBodies,
};

/** What the ids of queries and bodies name, by the last part of their names. */
const resourceOfField: Readonly<Record<string, string>> = {
  templateId: "template",
  templateIds: "template",
  versionId: "version",
  campaignId: "campaign",
  brandId: "brand",
  sessionId: "session",
  deploymentId: "deployment",
  log: "organization",
  receiptId: "receipt",
  endpointId: "webhookEndpoint",
  eventId: "webhookEvent",
};

/** Names that only shape tells apart from those of the other organization. */
const unknownNames: Readonly<Record<string, () => string>> = {
  deploymentKey: () => `dep_${"z".repeat(22)}`,
  screenshot: () => `shot_${"z".repeat(22)}`,
  templateFile: () => `sha256:${"f".repeat(64)}`,
  templateIdOrSlug: () => "no-such-template",
  userRef: () => "nobody",
  revision: () => "999999999",
  embedScriptHash: () => "f".repeat(32),
  connect: () => "999999999",
  logoType: () => "primary",
  chunkedUploadPartSeq: () => "1",
  signingSession: () => "z".repeat(22),
};

/** What refuses ids that name nothing as a wrong value of a member. */
export const refusedAsMember = [
  "createExport acceptances.templateId",
  "createExport acceptances.versionId",
  "createExport acceptances.campaignId",
  "createExportSchedule templateId",
  "updateExportSchedule templateId",
];

/** What answers ids that name nothing with an empty result, or is no organization's own. */
export const answersAnyway = [
  "bulkArchiveTemplates templateIds[]",
  "bulkDuplicateTemplates templateIds[]",
  "getTemplateStats ?versionId",
  "listAcceptances ?templateId",
  "listAcceptances ?versionId",
  "getUserConsentState path",
  "getUserConsentState ?templateId",
  "updateUserConsentState path",
  "eraseUser path",
  // Who is in no campaign is out of it already.
  "removeCampaignPerson {userRef}",
  "updateUserConsentState purposes[].templateId",
  "getEmbedScript path",
  "getPinnedEmbedScript path",
  "getPinnedEmbedScript {deploymentKey}",
  "getPinnedEmbedScript {hash}",
  "getPageScript path",
  "getClickLogKeys ?log",
  "getClickKeys ?log",
  ...generationAnswersAnyway,
  ...signAnswersAnyway,
  ...webhookAnswersAnyway,
];

/** Operations after which others find less. */
export const ending =
  /^(compat(Template)?)?(remove|delete|cancel|erase|bulkArchive|archive|deactivate|moveTo|publishVersion)/i;

/**
 * In every log tiles are numbered from 0: there is no name of another organization's tile to ask for. What no program may
 * call is asked by the test of people. A login tells nothing of the organization that it names without the password, or
 * without the identity that a provider confirms.
 */
const logins = ["login", "beginOidcLogin"];
const withIds = operations.filter(
  (operation) =>
    !operation.path.startsWith("/v1/click/log/tile/") &&
    !isNobodys(operation) &&
    !operation.isForPeople &&
    !logins.includes(operation.operationId),
);

/** Every place of every operation that takes an id. */
export const allPlaces: readonly Place[] = withIds
  .flatMap(placesOf)
  .filter(({ title }) => !makesWhatItNames.includes(title));
/** Without parameters alone: with what is the caller's own they make the same request as all of the path. */
export const protectedPlaces = allPlaces.filter(
  ({ operation, at }) => operation.scopes.length > 0 && !at.startsWith("{"),
);

function placesOf(operation: Operation): Place[] {
  const { pathParams } = operation;
  const ownNames = pathParams.filter(({ resource }) => !sharedNames.includes(resource));
  const alone = pathParams.length > 1 ? ownNames.map(({ name }) => `{${name}}`) : [];
  const all = [
    ...(pathParams.length > 0 ? ["path"] : []),
    ...alone,
    ...operation.queryIds.map((name) => `?${name}`),
    ...operation.bodyIds,
    ...(compatPlaces[operation.operationId] ?? []),
  ];
  return all.map((at) => ({ title: `${operation.operationId} ${at}`, operation, at }));
}

/** Names nothing in any organization. */
const unknownId = "0198c0de-0000-7000-8000-000000000000";

/** What an unknown id of this kind looks like. */
export const unknownName = (resource: string): string => unknownNames[resource]?.() ?? unknownId;

/** Fills the place with an id, and everything else with what is the caller's own. */
export function requestWith(
  operation: Operation,
  at: string,
  value: (resource: string) => string,
  own: Resources,
): Sent {
  const path = operation.pathParams.reduce((filled, { name, resource: called }) => {
    const resource = signResourceIn(operation, called);
    const part = at === "path" || at === `{${name}}` ? value(resource) : valueIn(own, resource);
    return filled.replace(`{${name}}`, encodeURIComponent(part));
  }, operation.path);
  const { operationId } = operation;
  const named = () => value(generationResourceAt(operationId, at) ?? signResourceAt(operationId, at) ?? resourceAt(at));
  if (at.startsWith("?")) return { path: `${path}${at}=${encodeURIComponent(named())}` };
  if (/^(path|\{)/.test(at)) return { path, body: pathBodies[operationId]?.(own) ?? operation.exampleBody };
  const make = bodies[`${operationId} ${at}`];
  if (make === undefined) throw new Error(`no body leads to ${at} of ${operationId}`);
  return { path, body: make(named(), own) };
}

/** Where the example of the description would be refused for another reason. */
const pathBodies: Readonly<Record<string, (own: Resources) => unknown>> = {
  updateUserConsentState: () => ({ purposes: { unknown_purpose: false } }),
  ...signPathBodies,
};

function resourceAt(place: string): string {
  const field = /(\w+)(\[\])?$/.exec(place)?.[1] ?? "";
  const resource = resourceOfField[field];
  if (resource === undefined) throw new Error(`nothing says what ${place} names`);
  return resource;
}

/** Everything that asks for nothing by the names of `unknownName`, for leaving them out of an answer. */
export const allUnknownNames = (): string[] => [...Object.values(unknownNames).map((make) => make()), unknownId];
