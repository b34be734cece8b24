import { crc32 } from "node:zlib";
import type { Api } from "../support/api.ts";
import { bodyOf } from "../support/journeys.ts";

type Ids = Readonly<Record<string, string>>;

/** Bodies of document generation that lead to an id; everything else in them is the caller's own. */
export const generationBodies: Readonly<Record<string, (id: string, own: Ids) => unknown>> = {
  "createGenDocument templateId": (id) => ({ templateId: id, data: {} }),
  "createGenDocument templateRef.templateId": (id) => ({ templateRef: { templateId: id } }),
  "createGenDocument templateRef.versionId": (id, own) => ({
    templateRef: { templateId: own.template, versionId: id },
  }),
  ...batchBodies("createBatch"),
  ...batchBodies("createGenBatch"),
};

/** A batch is accepted whatever its items name: those that name nothing fail by themselves. */
export const generationAnswersAnyway: readonly string[] = [
  ...Object.keys(generationBodies).filter((title) => title.includes("Batch ")),
  "listGenDocuments ?templateId",
];

/** What an id in a query or body of document generation names; undefined for other operations. */
export function generationResourceAt(operationId: string, at: string): string | undefined {
  if (!/^(create|list)Gen|^createBatch$/.test(operationId)) return undefined;
  if (at.endsWith("versionId")) return "version";
  return at.endsWith("templateRef.templateId") ? "template" : "genTemplate";
}

/** One of everything of document generation. A batch makes the document: it takes no slot of the minute. */
export async function createGenerationResources(api: Api): Promise<Ids> {
  const draft = { name: "Offer", format: "html", content: "<p>Offer</p>", slug: `offer-${crypto.randomUUID()}` };
  const template = bodyOf(201, await api.post("/v1/gen/templates", draft));
  bodyOf(200, await api.post(`/v1/gen/templates/${template.id}/publish`, undefined));
  const asset = bodyOf(201, await api.post("/v1/gen/assets", { name: "dot.png", content: imageOfItsOwn() }));
  const request = { templateId: template.id, items: [{}] };
  const batch = bodyOf(202, await api.call("POST", "/batches", request, { "x-idempotency-key": crypto.randomUUID() }));
  const [item] = bodyOf(200, await api.get(`/batches/${batch.id}/items`));
  return { genTemplate: template.id, genAsset: asset.id, batch: batch.id, genDocument: item.documentId };
}

const onePixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
const endChunkLength = 12;

/** One pixel with a comment that no other has: the same bytes twice are one asset, and deleting it would delete both. */
function imageOfItsOwn(): string {
  const comment = Buffer.from(`tEXtComment\0${crypto.randomUUID()}`, "latin1");
  const length = Buffer.alloc(4);
  length.writeUInt32BE(comment.length - "tEXt".length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(comment));
  const end = onePixel.length - endChunkLength;
  return Buffer.concat([onePixel.subarray(0, end), length, comment, checksum, onePixel.subarray(end)]).toString(
    "base64",
  );
}

function batchBodies(operationId: string): Record<string, (id: string, own: Ids) => unknown> {
  const ref = (id: string) => ({ templateRef: { templateId: id } });
  const version = (id: string, own: Ids) => ({ templateRef: { templateId: own.template, versionId: id } });
  return {
    [`${operationId} templateId`]: (id) => ({ templateId: id, items: [{}] }),
    [`${operationId} templateRef.templateId`]: (id) => ({ ...ref(id), items: [{}] }),
    [`${operationId} templateRef.versionId`]: (id, own) => ({ ...version(id, own), items: [{}] }),
    [`${operationId} items[].templateId`]: (id) => ({ items: [{ templateId: id }] }),
    [`${operationId} items[].templateRef.templateId`]: (id) => ({ items: [ref(id)] }),
    [`${operationId} items[].templateRef.versionId`]: (id, own) => ({ items: [version(id, own)] }),
  };
}
