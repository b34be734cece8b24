import type { SampleRequest } from "./sample-requests.ts";
import type { TestGateway } from "./test-gateway.ts";

let count = 0;

const unique = (prefix: string): string => {
  count += 1;
  return `${prefix} ${count}`;
};

/** The templates service knows every template here, so any id will do for it. */
const anyTemplate = "0190a000-0000-7000-8000-0000000000aa";
const source = { templateRef: { templateId: anyTemplate }, data: { name: "Example AG" } };

/** For operations of document generation whose example would not do. */
export const genSamples: Readonly<Record<string, () => SampleRequest>> = {
  createGenTemplate: () => ({ body: { name: unique("Offer"), format: "html", content: "<p>{{ name }}</p>" } }),
  createGenDocument: () => ({ body: source }),
  createBatch: () => ({ body: { items: [source] } }),
  createGenBatch: () => ({ body: { items: [source] } }),
};

/** One of everything that paths of document generation name. */
export async function createGenResources(gateway: TestGateway, orgId: string): Promise<Record<string, string>> {
  const token = await gateway.auth.token("gen:write", "cl_gen", orgId);
  const send = async (path: string, body: unknown): Promise<string> => {
    const answer = await gateway.call("POST", path, { token, body });
    if (answer.status > 202) throw new Error(`${path} is answered ${answer.status}: ${answer.text}`);
    return answer.body.id;
  };
  return {
    genTemplate: await send("/v1/gen/templates", genSamples.createGenTemplate?.().body),
    genAsset: await send("/v1/gen/assets", { name: "logo.png", content: "iVBORw0KGgo=" }),
    genDocument: await send("/v1/gen/documents", source),
    batch: await send("/batches", { items: [source] }),
  };
}

/** The ids in bodies and queries of document generation; tests of isolation look at each of them. */
export const idsOfGeneration: Readonly<Record<string, readonly string[]>> = {
  createGenDocument: ["templateId", "templateRef.templateId", "templateRef.versionId"],
  listGenDocuments: ["?templateId"],
  ...Object.fromEntries(
    ["createBatch", "createGenBatch"].map((operationId) => [
      operationId,
      ["", "items[]."].flatMap((at) => [
        `${at}templateId`,
        `${at}templateRef.templateId`,
        `${at}templateRef.versionId`,
      ]),
    ]),
  ),
};
