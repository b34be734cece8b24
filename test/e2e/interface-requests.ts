import type { Api } from "../support/api.ts";
import { bodyOf, publishText } from "../support/journeys.ts";
import type { Shape } from "../support/shapes.ts";

export interface InterfaceRequest {
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** A row of the interface's tables. Each request is made afresh, with everything that it needs. */
export interface InterfaceRow {
  readonly operation: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Any one of them is enough; every other scope alone is not. */
  readonly scopes: string;
  readonly status: number;
  readonly shape?: Shape;
  readonly request: MakeRequest;
  readonly errors: readonly (readonly [when: string, status: number, errorCode: string, request: MakeRequest])[];
}

export type MakeRequest = (owner: Api) => InterfaceRequest | Promise<InterfaceRequest>;

export const unknownId = "0198c0de-0000-7000-8000-000000000000";
export const templates = "/v1/click/templates";
export const sessions = "/v1/click/sessions";
const content = "<p>Be kind.</p>";
export const newVersion = { locale: "en", content };
let count = 0;
export const unique = (prefix: string): string => `${prefix}-${++count}`;

export const published = (owner: Api) => publishText(owner, { name: "Terms", type: "STATIC" }, content);
export const draft = async (owner: Api): Promise<{ templateId: string; template: string; version: string }> => {
  const { id } = bodyOf(201, await owner.post(templates, { name: "Terms", type: "STATIC" }));
  const version = bodyOf(201, await owner.post(`${templates}/${id}/versions`, newVersion));
  return { templateId: id, template: `${templates}/${id}`, version: `${templates}/${id}/versions/${version.id}` };
};
/** A published version with a draft of its next text. */
export const drafted = async (owner: Api) => {
  const text = await published(owner);
  bodyOf(200, await owner.call("PUT", `${text.path}/draft`, nextText));
  return text;
};
/** A published version whose next text is scheduled. */
export const scheduled = async (owner: Api) => {
  const text = await drafted(owner);
  bodyOf(200, await owner.post(`${text.path}/publish`, { publishAt: "2199-12-31T23:00:00Z" }));
  return text;
};
export const nextText = { content: "<p>Be kinder.</p>" };
export const deployed = async (owner: Api) => {
  const text = await published(owner);
  const deployment = { name: "Page", activate: true };
  bodyOf(201, await owner.post(`${templates}/${text.templateId}/deployments`, deployment));
  return text;
};
export const sessionId = async (owner: Api): Promise<string> => {
  const { templateId } = await published(owner);
  return bodyOf(201, await owner.post(sessions, { templateId, userRef: "u" })).id;
};
export const acceptedSession = async (owner: Api): Promise<string> => {
  const id = await sessionId(owner);
  bodyOf(201, await owner.accept(unique("key"), { sessionId: id }));
  return id;
};
export const acceptance = (userRef: string, key: string, templateId: string): InterfaceRequest => ({
  path: "/v1/click/accept",
  body: { templateId, userRef },
  headers: { "x-idempotency-key": key },
});
export const archived = async (owner: Api) => {
  const { version } = await draft(owner);
  bodyOf(200, await owner.call("POST", `${version}/archive`));
  return version;
};

/** The path of a template, of what belongs to it, and the answers to ids that name none. */
export const ofTemplate = (suffix: string, body?: unknown): MakeRequest => {
  return async (owner) => ({ path: (await draft(owner)).template + suffix, body });
};
export const ofVersion = (suffix: string, body?: unknown): MakeRequest => {
  return async (owner) => ({ path: (await draft(owner)).version + suffix, body });
};
export const noTemplate = (suffix: string, body?: unknown): InterfaceRow["errors"] =>
  [unknownId, "unknown"].map(
    (id) =>
      [
        `the template ${id}`,
        404,
        "CLICK_TEMPLATE_NOT_FOUND",
        () => ({ path: `${templates}/${id}${suffix}`, body }),
      ] as const,
  );
export const noVersion = (suffix: string, body?: unknown): InterfaceRow["errors"] => [
  ...noTemplate(`/versions/${unknownId}${suffix}`, body),
  ...[unknownId, "unknown"].map(
    (id) =>
      [`the version ${id}`, 404, "CLICK_VERSION_NOT_FOUND", ofTemplate(`/versions/${id}${suffix}`, body)] as const,
  ),
];
export const noSession = (path: (id: string) => string, errorCode: string, body?: unknown): InterfaceRow["errors"] =>
  [unknownId, "unknown"].map((id) => [`the session ${id}`, 404, errorCode, () => ({ path: path(id), body })] as const);
export const refused = (
  errorCode: string,
  path: string,
  bodies: Readonly<Record<string, unknown>>,
): InterfaceRow["errors"] =>
  Object.entries(bodies).map(([when, body]) => [when, 400, errorCode, () => ({ path, body })] as const);
