import type { Answer, TestGateway } from "./test-gateway.ts";

/** A request that an operation accepts. */
export interface SampleRequest {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

let keys = 0;

const samples: Readonly<Record<string, () => SampleRequest>> = {
  createTemplate: () => ({ body: { name: uniqueName("Sample"), type: "STATIC" } }),
  updateTemplate: () => ({ body: { name: "Renamed" } }),
  createVersion: () => ({ body: { locale: "en", content: "<p>Text</p>" } }),
  publishVersion: () => ({ body: {} }),
  createSession: () => ({ body: { templateSlug: "terms", userRef: "user-1" } }),
  completeSession: () => ({ body: {} }),
  accept: () => ({
    body: { templateSlug: "terms", userRef: "user-1" },
    headers: { "X-Idempotency-Key": uniqueName("key") },
  }),
};

/** A request for the operation; operations without a sample need neither body nor headers. */
export const sampleRequest = (operationId: string): SampleRequest => samples[operationId]?.() ?? {};

export function uniqueName(prefix: string): string {
  keys += 1;
  return `${prefix} ${keys}`;
}

/** The path of a route with its parameters filled in. */
export const pathWith = (path: string, ids: Readonly<Record<string, string>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new Error(`no id for ${name}`);
    return id;
  });

/** A template with a version, a session and an acceptance of the organization that the token belongs to. */
export async function createResources(gateway: TestGateway, token: string) {
  const requireStatus = (answer: Answer, status: number): Answer => {
    if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`);
    return answer;
  };
  const send = async (path: string, operationId: string) =>
    requireStatus(await gateway.call("POST", path, { token, ...sampleRequest(operationId) }), 201).body;
  const template = await send("/v1/click/templates", "createTemplate");
  const version = await send(`/v1/click/templates/${template.id}/versions`, "createVersion");
  const session = await send("/v1/click/sessions", "createSession");
  const receipt = await send("/v1/click/accept", "accept");
  return {
    templateId: template.id as string,
    versionId: version.id as string,
    sessionId: session.id as string,
    receiptId: receipt.receiptId as string,
  };
}

export type Resources = Awaited<ReturnType<typeof createResources>>;

/** The ids by the names of path parameters; `{id}` means another thing from path to path. */
export const idsFor = (path: string, ids: Resources): Record<string, string> => ({
  ...ids,
  id: path.startsWith("/v1/click/sessions") ? ids.sessionId : ids.templateId,
});
