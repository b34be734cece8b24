import { bodyOf } from "../support/journeys.ts";
import * as shape from "../support/session-shapes.ts";
import { fields, listOf } from "../support/shapes.ts";
import {
  acceptance,
  acceptedSession,
  type InterfaceRow,
  noSession,
  published,
  sessionId,
  sessions,
  unique,
  unknownId,
} from "./interface-requests.ts";
import { templateRows } from "./interface-template-rows.ts";
import { versionRows } from "./interface-version-rows.ts";

const sessionRows: readonly InterfaceRow[] = [
  {
    operation: "createSession",
    method: "POST",
    scopes: "click:write",
    status: 201,
    shape: shape.session,
    request: async (owner) => ({ path: sessions, body: { templateId: (await published(owner)).templateId } }),
    errors: [
      [
        "an unknown template",
        404,
        "CLICK_TEMPLATE_NOT_FOUND",
        () => ({ path: sessions, body: { templateId: unknownId } }),
      ],
      ["an unknown slug", 404, "CLICK_TEMPLATE_NOT_FOUND", () => ({ path: sessions, body: { templateSlug: "none" } })],
    ],
  },
  {
    operation: "getSession",
    method: "GET",
    scopes: "click:read",
    status: 200,
    shape: shape.session,
    request: async (owner) => ({ path: `${sessions}/${await sessionId(owner)}` }),
    errors: noSession((id) => `${sessions}/${id}`, "CLICK_SESSION_NOT_FOUND"),
  },
  {
    operation: "completeSession",
    method: "POST",
    scopes: "click:write",
    status: 200,
    shape: shape.completedSession,
    request: async (owner) => ({ path: `${sessions}/${await acceptedSession(owner)}/complete` }),
    errors: noSession((id) => `${sessions}/${id}/complete`, "CLICK_SESSION_NOT_FOUND", {}),
  },
  {
    operation: "getClickEvidenceBundle",
    method: "GET",
    scopes: "click:read",
    status: 200,
    shape: shape.evidence,
    request: async (owner) => ({ path: `/v1/click/evidence/${await acceptedSession(owner)}` }),
    errors: noSession((id) => `/v1/click/evidence/${id}`, "CLICK_EVIDENCE_NOT_FOUND"),
  },
  {
    operation: "getUserConsentState",
    method: "GET",
    scopes: "click:read",
    status: 200,
    shape: fields(shape.consentState),
    request: () => ({ path: "/v1/click/consent/somebody%40example.com" }),
    errors: [],
  },
  {
    operation: "updateUserConsentState",
    method: "POST",
    scopes: "click:write",
    status: 200,
    shape: fields({ ...shape.consentState, receipts: listOf("object") }),
    request: () => ({ path: `/v1/click/consent/${unique("user")}`, body: { withdrawAll: true } }),
    errors: [],
  },
  {
    operation: "accept",
    method: "POST",
    scopes: "click:accept click:write click:admin",
    status: 201,
    shape: shape.receipt,
    request: async (owner) => acceptance("u", unique("key"), (await published(owner)).templateId),
    errors: [
      [
        "a key that was used for another body",
        422,
        "CLICK_IDEMPOTENCY_KEY_REUSED",
        async (owner) => {
          const { templateId } = await published(owner);
          const key = unique("reused");
          bodyOf(201, await owner.accept(key, { templateId, userRef: "first" }));
          return acceptance("second", key, templateId);
        },
      ],
    ],
  },
  {
    operation: "render",
    method: "GET",
    scopes: "click:read click:write click:admin",
    status: 200,
    shape: fields({ renderId: "uuid", html: "text", contentHash: "hash", renderHash: "hash", renderToken: "text?" }),
    request: async (owner) => ({
      path: `/v1/click/render/templates/${(await published(owner)).slug}`,
      headers: { accept: "application/json" },
    }),
    errors: [],
  },
];

/** Every row of the interface's tables of operations. */
export const interfaceTable: readonly InterfaceRow[] = [...sessionRows, ...templateRows, ...versionRows];
