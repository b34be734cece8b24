import { randomInt } from "node:crypto";
import { onePixel } from "#api/kinds.ts";
import { until } from "#platform/testing/until.ts";
import { type Operation, operations } from "../../gateway/routes/operations.ts";
import type { Api } from "../support/api.ts";
import { bodyOf } from "../support/journeys.ts";
import { readPageAndConsent } from "../support/read-and-consent.ts";
import { followLink } from "../support/signing-page.ts";
import { makeConnect, makeConnectSecret, makeWebhookEndpoint, webhookPathBodies } from "./webhook-resources.ts";

type Ids = Readonly<Record<string, string>>;

/**
 * One of everything of signing: a draft and a template that have a document, a recipient with a tab, and a custom field
 * each; a list of copies, a batch of them that is done, a configuration of where events go, and a session of the sender.
 */
export async function createSignResources(api: Api, name: string): Promise<Ids> {
  const template = await makers.signTemplate(api, name);
  // Another one each time: what is as it was is not written.
  const days = 36_500 - randomInt(10_000);
  bodyOf(200, await api.call("PUT", "/v1/privacy/retention", { periods: [{ status: "expired", days }] }));
  return {
    account: api.organizationId,
    user: api.organizationId,
    folder: "recyclebin",
    ...(await makers.agreement(api, name)),
    ...template,
    ...(await makers.bulkBatch(api, name, template)),
    ...(await makers.brand(api, name)),
    ...(await makers.senderDomain(api)),
    ...(await makers.pageHost(api)),
    ...(await makers.upload(api)),
    ...(await makers.connect(api)),
    ...(await makers.attachedAgreement(api, name)),
    ...(await makers.lockedAgreement(api, name)),
    erasure: bodyOf(201, await api.post("/v1/privacy/erasures", { email: `${name}@example.org`, dryRun: true })).id,
    ...(await makeExport(api, name)),
    ...(await makeExportSchedule(api)),
    legalHold: bodyOf(201, await api.post("/v1/privacy/holds", { email: `${name}@example.com`, reason: "x" })).id,
  };
}

/** Like what `own` has, and not changed yet: as much of it as the operation may change. */
export async function createAnewFor({ operationId, pathParams }: Operation, api: Api, own: Ids): Promise<Ids> {
  const named = new Set(pathParams.map(({ resource }) => makerOf.get(resource)));
  if (operationId === "compatMoveToFolder") named.add("agreement");
  if (operationId === "compatDeleteBrands") named.add("brand");
  if (operationId === "correctAgreement") named.add("attachedAgreement");
  if (isOfLock(operationId)) named.add("lockedAgreement");
  let made = own;
  for (const maker of named) if (maker !== undefined) made = { ...made, ...(await makers[maker](api, "anew", own)) };
  return made;
}

/** Whether `createAnewFor` makes all that an operation may change. */
export const isOfSigning = ({ path }: Pick<Operation, "path">): boolean =>
  /^\/(v1\/sign|v1\/webhooks|v1\/privacy\/export-schedules|restapi|signing)\//.test(path);

const isOfLock = (operationId: string): boolean =>
  /^(extend|unlock)Agreement|^getAgreementLock$|^compat(Get|Update|Delete)Lock$/.test(operationId);

const makers = {
  lockedAgreement: makeLocked,
  brand: makeBrand,
  senderDomain: (api: Api) => makeProven(api, "senderDomain", "sender-domains", "domain"),
  pageHost: (api: Api) => makeProven(api, "pageHost", "page-hosts", "host"),
  ...{ agreement: makeAgreement, attachedAgreement: makeAttachment, signTemplate: makeTemplate, bulkBatch: makeBatch },
  exportSchedule: makeExportSchedule,
  upload: makeUpload,
  ...{ connect: makeConnect, connectSecret: makeConnectSecret, webhookEndpoint: makeWebhookEndpoint },
};

/** What makes that which a path calls so. */
const makerOf: ReadonlyMap<string, keyof typeof makers> = new Map([
  ["agreement", "agreement"],
  ["signingSession", "agreement"],
  ["signTemplate", "signTemplate"],
  ["brand", "brand"],
  ["senderDomain", "senderDomain"],
  ["pageHost", "pageHost"],
  ["upload", "upload"],
  ["bulkList", "bulkBatch"],
  ["bulkBatch", "bulkBatch"],
  ["connect", "connect"],
  ["connectSecret", "connectSecret"],
  ["webhookEndpoint", "webhookEndpoint"],
  ["exportSchedule", "exportSchedule"],
]);

const accountOf = ({ organizationId }: Api): string => `/restapi/v2.1/accounts/${organizationId}`;

async function makeAgreement(api: Api, name: string): Promise<Ids> {
  const draft = contentFor(name, ann);
  const key = { "x-idempotency-key": crypto.randomUUID() };
  const agreement = bodyOf(201, await api.call("POST", "/v1/sign/agreements", draft, key));
  const session = await openSession(api, `${accountOf(api)}/envelopes/${agreement.id}`);
  return { agreement: agreement.id, ...namesFor(name), ...partsOf(agreement, ""), ...session };
}

/** A draft that its sender has locked. */
async function makeLocked(api: Api, name: string): Promise<Ids> {
  const draft = contentFor(name, ann);
  const { id } = bodyOf(201, await api.post("/v1/sign/agreements", draft));
  bodyOf(201, await api.post(`/v1/sign/agreements/${id}/lock`, { durationSeconds: 1_800 }));
  return { lockedAgreement: id };
}

/** With pictures of its own. */
async function makeBrand(api: Api, name: string): Promise<Ids> {
  const brand = bodyOf(201, await api.post("/v1/sign/brands", { name: `${name} ${crypto.randomUUID()}` }));
  for (const picture of ["logo", "favicon"]) {
    bodyOf(200, await api.call("PUT", `/v1/sign/brands/${brand.id}/${picture}`, { content: onePixel }));
  }
  return { brand: brand.id, logoType: "primary" };
}

/** An organization has few: those made between the first and this one have served their purpose. */
async function makeProven(api: Api, resource: string, path: string, member: string): Promise<Ids> {
  const made: { id: string }[] = bodyOf(200, await api.get(`/v1/sign/${path}`));
  for (const { id } of made.slice(1)) bodyOf(204, await api.call("DELETE", `/v1/sign/${path}/${id}`));
  const name = `${crypto.randomUUID()}.example.com`;
  return { [resource]: bodyOf(201, await api.post(`/v1/sign/${path}`, { [member]: name })).id };
}

async function makeExport(api: Api, name: string): Promise<Ids> {
  const { id } = bodyOf(202, await api.post("/v1/privacy/exports", { email: `${name}@example.com` }));
  await until(async () => bodyOf(200, await api.get(`/v1/privacy/exports/${id}`)).status === "completed", 60_000);
  return { export: id };
}

async function makeExportSchedule(api: Api): Promise<Ids> {
  const { id } = bodyOf(201, await api.post("/v1/privacy/export-schedules", { format: "csv", every: "daily" }));
  return { exportSchedule: id };
}

/** A file that somebody attaches who has followed a link. */
async function makeAttachment(api: Api, name: string): Promise<Ids> {
  const ann = { name: "Ann Example", email: "ann@example.com", clientUserId: "1000" };
  const wanted = { ...contentFor(name, ann, "attachment"), status: "sent" };
  const agreement = bodyOf(201, await api.post("/v1/sign/agreements", wanted));
  const view = { recipientId: agreement.recipients.signers[0].recipientId, returnUrl: "https://www.example.com/" };
  const path = `/v1/sign/agreements/${agreement.id}`;
  const { url } = bodyOf(201, await api.post(`${path}/views/recipient`, view));
  const { signingSession, signingCookie } = await followLink(api, url);
  const tab = agreement.recipients.signers[0].tabs.find(({ type }: { type: string }) => type === "attachment");
  const file = { tabId: tab.tabId, fileName: "passport.pdf", contentBase64: onePage };
  const headers = { cookie: signingCookie };
  await readPageAndConsent((method, what, body) =>
    api.call(method, `/signing/s/${signingSession}/${what}`, body, headers),
  );
  const kept = bodyOf(200, await api.call("POST", `/signing/s/${signingSession}/attachments`, file, headers));
  const saved = { values: [{ tabId: tab.tabId, value: kept.value }], place: tab.tabId };
  bodyOf(204, await api.call("POST", `/signing/s/${signingSession}/progress`, saved, headers));
  return { attachedAgreement: agreement.id, attachment: kept.value, attachedTab: tab.tabId, ...namesFor(name) };
}

async function makeUpload(api: Api): Promise<Ids> {
  const begun = await api.post(`${accountOf(api)}/chunked_uploads`, { data: onePage });
  return { upload: bodyOf(201, begun).chunkedUploadId, chunkedUploadPartSeq: "1" };
}

async function makeTemplate(api: Api, name: string): Promise<Ids> {
  const role = { name: "Offer", ...contentFor(name, { roleName: "Buyer" }) };
  const template = bodyOf(201, await api.post("/v1/sign/templates", role));
  return { signTemplate: template.id, ...namesFor(name), ...partsOf(template, "OfTemplate") };
}

async function makeBatch(api: Api, _name: string, { signTemplate }: Ids): Promise<Ids> {
  const account = accountOf(api);
  const list = bodyOf(201, await api.post(`${account}/bulk_send_lists`, { name: "Spring", bulkCopies: [copy] }));
  const sent = await api.post(`${account}/bulk_send_lists/${list.listId}/send`, { envelopeOrTemplateId: signTemplate });
  const batch = bodyOf(201, sent);
  await untilSent(api, `${account}/bulk_send_batch/${batch.batchId}`);
  return { bulkList: list.listId, bulkBatch: batch.batchId };
}

/** What the cookie of its session opens; other operations have no use for it. */
export const signingHeaders = ({ path }: Pick<Operation, "path">, own: Ids): Record<string, string> =>
  path.startsWith("/signing/s/") ? { cookie: own.signingCookie ?? "" } : {};

/** What is a credential itself, or everybody's. */
export const isNobodys = ({ path }: Pick<Operation, "path">): boolean =>
  /^\/(signing\/(\{|assets\/)|brand-images\/|notices\/|mail\/reports\/|docs\/)/.test(path);

/** The same for everybody: there is no name of another organization's to ask for. */
export const sharedNames: readonly string[] = ["chunkedUploadPartSeq", "folder", "logoType", "revision"];

/** Makes a document under whatever name it is asked for, or keeps the id as it was given, known or not. */
export const makesWhatItNames: readonly string[] = [
  "putDocument {documentId}",
  "compatPutDocument {documentId}",
  "compatTemplatePutDocument {documentId}",
];

/** Where the compatible interface takes ids that its description does not show: it takes them in any form. */
export const compatPlaces: Readonly<Record<string, readonly string[]>> = {
  compatDeleteBrands: ["brands[].brandId"],
  compatCreateEnvelope: ["brandId", "templateId", "compositeTemplates[].serverTemplates[].templateId"],
  compatListEnvelopes: ["?envelope_ids"],
  compatListEnvelopeStatus: ["envelopeIds[]"],
  compatMoveToFolder: ["envelopeIds[]"],
  compatSendBulkList: ["envelopeOrTemplateId"],
  compatTestBulkList: ["envelopeOrTemplateId"],
  compatCreateConsoleView: ["envelopeId"],
  compatUpdateConnect: ["connectId"],
  compatRetryConnect: ["envelopeIds[]"],
};

/** Lists by ids have those that there are; others say in words of their own that there is no such thing. */
export const signAnswersAnyway: readonly string[] = [
  "compatListEnvelopes ?envelope_ids",
  "compatListEnvelopeStatus envelopeIds[]",
  "listDeletions ?agreementId",
  // Whoever has not the cookie of a session is told that it has ended.
  ...operations.flatMap(({ operationId, path }) =>
    path.startsWith("/signing/s/") ? [`${operationId} path`, `${operationId} {sid}`] : [],
  ),
];

/** Bodies of signing that lead to an id; everything else in them is the caller's own. */
export const signBodies: Readonly<Record<string, (id: string, own: Ids) => unknown>> = {
  "correctAgreement tabs[].change[].tabId": (id, own) => ({
    tabs: [{ ...recipientId(own), change: [{ tabId: id, required: true }] }],
  }),
  "correctAgreement tabs[].remove[]": (id, own) => ({ tabs: [{ ...recipientId(own), remove: [id] }] }),
  ...Object.fromEntries(
    ["createAgreement", "updateAgreement", "createSignTemplate", "updateSignTemplate"].map((operation) => [
      `${operation} brandId`,
      (id: string) => ({ name: "NDA", brandId: id }),
    ]),
  ),
  "createAgreement compositions[].layers[].brandId": (id) => ({ compositions: [{ layers: [{ brandId: id }] }] }),
  "compatCreateEnvelope brandId": (id) => ({ brandId: id }),
  "compatDeleteBrands brands[].brandId": (id) => ({ brands: [{ brandId: id }] }),
  "createExportSchedule templateId": (id) => ({ format: "csv", every: "daily", templateId: id }),
  "updateExportSchedule templateId": (id) => ({ templateId: id }),
  "createAgreement templateId": (id) => ({ templateId: id }),
  "createAgreement compositions[].layers[].templateId": (id) => ({ compositions: [{ layers: [{ templateId: id }] }] }),
  "setLegalHold agreementId": (id) => ({ agreementId: id, reason: "x" }),
  "compatCreateEnvelope templateId": (id) => ({ templateId: id }),
  "compatCreateEnvelope compositeTemplates[].serverTemplates[].templateId": (id) => ({
    compositeTemplates: [{ serverTemplates: [{ sequence: "1", templateId: id }] }],
  }),
  "compatListEnvelopeStatus envelopeIds[]": (id) => ({ envelopeIds: [id] }),
  "compatMoveToFolder envelopeIds[]": (id) => ({ envelopeIds: [id] }),
  "compatSendBulkList envelopeOrTemplateId": (id) => ({ envelopeOrTemplateId: id }),
  "compatTestBulkList envelopeOrTemplateId": (id) => ({ envelopeOrTemplateId: id }),
  "compatUpdateConnect connectId": (id) => ({ connectId: id, name: "Hooks" }),
  "compatRetryConnect envelopeIds[]": (id) => ({ envelopeIds: [id] }),
  "compatCreateConsoleView envelopeId": (id) => ({ envelopeId: id, returnUrl: "https://www.example.com/" }),
};

/** What an id in a query or body of signing names; undefined for other operations. */
export function signResourceAt(operationId: string, at: string): string | undefined {
  if (/brandId$/i.test(at)) return "brand";
  if (operationId === "correctAgreement") return "attachedTab";
  if (!/^(compat|createAgreement$|setLegalHold$|listDeletions$)/.test(operationId)) return undefined;
  if (at === "connectId") return "connect";
  return /templateId$/i.test(at) ? "signTemplate" : "agreement";
}

/** What a parameter of a path names: only an agreement that was sent has attachments, and can be corrected. */
export function signResourceIn({ path, method }: Pick<Operation, "path" | "method">, resource: string): string {
  if (resource !== "agreement") return resource;
  if (path.endsWith("/lock") && method !== "POST") return "lockedAgreement";
  const needsSent = /^\/v1\/sign\/agreements\/\{id\}\/(attachments|corrections)/.test(path);
  return needsSent ? "attachedAgreement" : resource;
}

const recipientId = (own: Ids) => ({ recipientId: own.recipientId });
const documentId = (own: Ids) => ({ documentId: own.documentId });

/** Bodies for ids of paths where the example of the description names what is not there. */
export const signPathBodies: Readonly<Record<string, (own: Ids) => unknown>> = {
  createRecipientView: (own) => ({ ...recipientId(own), returnUrl: "https://www.example.com/" }),
  compatCreateRecipientView: (own) => ({ ...recipientId(own), returnUrl: "https://www.example.com/" }),
  correctAgreement: () => ({ emailSubject: `Please sign the offer ${crypto.randomUUID()}` }),
  // One brand alone may have the name that the example has.
  compatCreateBrand: () => ({ brandName: `Brand ${crypto.randomUUID()}`, isSendingDefault: "true" }),
  compatUpdateBrand: () => ({ brandCompany: "Example AG", isSendingDefault: "true" }),
  compatDeleteBrands: (own) => ({ brands: [{ brandId: own.brand }] }),
  compatMoveToFolder: (own) => ({ envelopeIds: [own.agreement] }),
  compatSendBulkList: (own) => ({ envelopeOrTemplateId: own.signTemplate }),
  compatTestBulkList: (own) => ({ envelopeOrTemplateId: own.signTemplate }),
  compatUpdateConnect: (own) => ({ connectId: own.connect, name: "Hooks" }),
  compatCreateConsoleView: (own) => ({ envelopeId: own.agreement, returnUrl: "https://www.example.com/" }),
  compatRemoveDocuments: (own) => ({ documents: [documentId(own)] }),
  compatTemplateRemoveDocuments: (own) => ({ documents: [documentId(own)] }),
  ...bodiesOfParts("Envelope", ""),
  ...bodiesOfParts("Template", "OfTemplate"),
  ...webhookPathBodies,
};

function bodiesOfParts(holder: string, suffix: string): Record<string, (own: Ids) => unknown> {
  const tab = (own: Ids) => ({ tabId: own[`tab${suffix}`] });
  const field = (own: Ids) => ({ fieldId: own[`customField${suffix}`] });
  return {
    [`compatDelete${holder}Recipients`]: (own) => ({ signers: [recipientId(own)] }),
    [`compatUpdate${holder}Recipients`]: (own) => ({ signers: [{ ...recipientId(own), note: "Soon." }] }),
    [`compatUpdate${holder}CustomFields`]: (own) => ({ textCustomFields: [{ ...field(own), value: "43" }] }),
    [`compatDelete${holder}CustomFields`]: (own) => ({ textCustomFields: [field(own)] }),
    [`compatUpdate${holder}Tabs`]: (own) => ({ textTabs: [{ ...tab(own), value: "43" }] }),
    [`compatDelete${holder}Tabs`]: (own) => ({ textTabs: [tab(own)] }),
  };
}

/** Opens a link of the sender, as a browser does. */
async function openSession(api: Api, envelope: string): Promise<Ids> {
  const returnUrl = "https://www.example.com/";
  const { url } = bodyOf(201, await api.post(`${envelope}/views/edit`, { returnUrl }));
  return { ...(await followLink(api, url)) };
}

// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client reads them
const partsOf = ({ recipients, customFields }: any, suffix: string): Ids => ({
  [`tab${suffix}`]: recipients.signers[0].tabs.find(({ type }: { type: string }) => type === "text").tabId,
  [`customField${suffix}`]: customFields[0].fieldId,
});

const untilSent = (api: Api, path: string): Promise<unknown> =>
  until(async () => bodyOf(200, await api.get(path)).queued === "0");

const namesFor = (name: string): Ids => ({ recipientId: nameOf("ann", name), documentId: nameOf("offer", name) });

/** Short enough for the id of a recipient or a document. */
const nameOf = (what: string, name: string): string => `${what}-${name}`.slice(0, 50);

const copy = { recipients: [{ roleName: "Buyer", name: "Bob Example", email: "bob@example.com" }] };

const ann = { name: "Ann Example", email: "ann@example.com", clientUserId: "1000" };

function contentFor(name: string, person: object, secondTab = "text") {
  const document = { documentId: nameOf("offer", name), name: "Offer.pdf", documentBase64: onePage };
  const place = { documentId: document.documentId, page: 1, x: 10, y: 10 };
  const tabs = [
    { type: "signature", ...place },
    { type: secondTab, label: "order", required: false, ...place },
  ];
  return {
    emailSubject: "Please sign the offer",
    documents: [document],
    recipients: { signers: [{ recipientId: nameOf("ann", name), ...person, tabs }] },
    customFields: [{ name: "orderId", value: "42" }],
  };
}

/** A PDF with one empty page. */
export const onePage = Buffer.from(`%PDF-1.4
1 0 obj
<</Type/Catalog/Pages 2 0 R>>
endobj
2 0 obj
<</Type/Pages/Kids[3 0 R]/Count 1>>
endobj
3 0 obj
<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]>>
endobj
trailer
<</Size 4/Root 1 0 R>>
startxref
9
%%EOF
`).toString("base64");
