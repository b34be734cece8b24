import { bodyOf } from "../support/journeys.ts";
import { listOf } from "../support/shapes.ts";
import * as shape from "../support/template-shapes.ts";
import {
  archived,
  deployed,
  draft,
  drafted,
  type InterfaceRow,
  newVersion,
  nextText,
  noTemplate,
  noVersion,
  ofTemplate,
  ofVersion,
  published,
  scheduled,
  templates,
} from "./interface-requests.ts";

const everything = "?includeTemplate=true&includeDeployments=true";

export const versionRows: readonly InterfaceRow[] = [
  {
    operation: "findAllVersions",
    method: "GET",
    scopes: "click:read",
    status: 200,
    shape: listOf(shape.versionWithAll),
    request: async (owner) => ({
      path: `${templates}/${(await deployed(owner)).templateId}/versions${everything}`,
    }),
    errors: noTemplate("/versions"),
  },
  {
    operation: "createVersion",
    method: "POST",
    scopes: "click:write",
    status: 201,
    shape: shape.version,
    request: ofTemplate("/versions", { locale: "de", content: "<p>Seien Sie nett.</p>" }),
    errors: [
      ...noTemplate("/versions", newVersion),
      ["a locale that is taken", 409, "CLICK_VERSION_LOCALE_EXISTS", ofTemplate("/versions", newVersion)],
    ],
  },
  {
    operation: "findPublishedVersions",
    method: "GET",
    scopes: "click:read",
    status: 200,
    shape: listOf(shape.version),
    request: async (owner) => ({ path: `${templates}/${(await published(owner)).templateId}/versions/published` }),
    errors: noTemplate("/versions/published"),
  },
  {
    operation: "findOneVersion",
    method: "GET",
    scopes: "click:read",
    status: 200,
    shape: shape.versionWithAll,
    request: async (owner) => ({ path: (await deployed(owner)).path + everything }),
    errors: noVersion(""),
  },
  {
    operation: "findOneRevision",
    method: "GET",
    scopes: "click:read",
    status: 200,
    shape: shape.revisionText,
    request: async (owner) => ({ path: `${(await published(owner)).path}/revisions/1` }),
    errors: [
      ...noVersion("/revisions/1"),
      ["a version that was never published", 404, "CLICK_VERSION_NOT_FOUND", ofVersion("/revisions/1")],
      [
        "a revision that is still to come",
        404,
        "CLICK_VERSION_NOT_FOUND",
        async (owner) => ({ path: `${(await published(owner)).path}/revisions/2` }),
      ],
    ],
  },
  {
    operation: "updateVersion",
    method: "PATCH",
    scopes: "click:write",
    status: 200,
    shape: shape.version,
    request: ofVersion("", { title: "Other" }),
    errors: [
      ...noVersion("", { title: "Other" }),
      [
        "a published version",
        400,
        "CLICK_VERSION_PUBLISHED",
        async (owner) => ({ path: (await published(owner)).path, body: { title: "Other" } }),
      ],
      [
        "a locale that is taken",
        409,
        "CLICK_VERSION_LOCALE_EXISTS",
        async (owner) => {
          const { template, version } = await draft(owner);
          bodyOf(201, await owner.post(`${template}/versions`, { ...newVersion, locale: "de" }));
          return { path: version, body: { locale: "de" } };
        },
      ],
      [
        "a version whose publication is scheduled",
        409,
        "CLICK_VERSION_SCHEDULED",
        async (owner) => {
          const { version } = await draft(owner);
          bodyOf(200, await owner.post(`${version}/publish`, { publishAt: "2199-12-31T23:00:00Z" }));
          return { path: version, body: { title: "Other" } };
        },
      ],
    ],
  },
  {
    operation: "publishVersion",
    method: "POST",
    scopes: "click:write",
    status: 200,
    shape: shape.version,
    request: ofVersion("/publish", {}),
    errors: [
      ...noVersion("/publish", {}),
      [
        "an archived version",
        400,
        "CLICK_VERSION_ARCHIVED",
        async (owner) => ({ path: `${await archived(owner)}/publish`, body: {} }),
      ],
      [
        "a draft that was saved after it was read",
        409,
        "CLICK_VERSION_CONFLICT",
        async (owner) => {
          const { path } = await drafted(owner);
          return { path: `${path}/publish`, body: { ifUpdatedAt: "2026-11-20T17:00:00.000Z" } };
        },
      ],
      [
        "a time that is over",
        400,
        "CLICK_VALIDATION_FAILED",
        async (owner) => ({
          path: `${(await drafted(owner)).path}/publish`,
          body: { publishAt: "2026-11-20T17:00:00.000Z" },
        }),
      ],
      [
        "nothing new to schedule",
        404,
        "CLICK_DRAFT_NOT_FOUND",
        async (owner) => ({
          path: `${(await published(owner)).path}/publish`,
          body: { publishAt: "2199-12-31T23:00:00Z" },
        }),
      ],
    ],
  },
  {
    operation: "findVersionDraft",
    method: "GET",
    scopes: "click:read",
    status: 200,
    shape: shape.versionDraft,
    request: async (owner) => ({ path: `${(await drafted(owner)).path}/draft` }),
    errors: [
      ...noVersion("/draft"),
      [
        "a version without one",
        404,
        "CLICK_DRAFT_NOT_FOUND",
        async (owner) => ({ path: `${(await published(owner)).path}/draft` }),
      ],
    ],
  },
  {
    operation: "saveVersionDraft",
    method: "PUT",
    scopes: "click:write",
    status: 200,
    shape: shape.versionDraft,
    request: async (owner) => ({ path: `${(await published(owner)).path}/draft`, body: nextText }),
    errors: [
      ...noVersion("/draft", nextText),
      ["a version that is not published", 409, "CLICK_VERSION_NOT_PUBLISHED", ofVersion("/draft", nextText)],
      [
        "an archived version",
        400,
        "CLICK_VERSION_ARCHIVED",
        async (owner) => ({ path: `${await archived(owner)}/draft`, body: nextText }),
      ],
      [
        "a draft that somebody else has begun",
        409,
        "CLICK_VERSION_CONFLICT",
        async (owner) => {
          const { path } = await drafted(owner);
          const { updatedAt } = bodyOf(200, await owner.get(path));
          return { path: `${path}/draft`, body: { content: "<p>Mine.</p>", ifUpdatedAt: updatedAt } };
        },
      ],
      [
        "one whose publication is scheduled",
        409,
        "CLICK_VERSION_SCHEDULED",
        async (owner) => ({ path: `${(await scheduled(owner)).path}/draft`, body: { content: "<p>Other.</p>" } }),
      ],
    ],
  },
  {
    operation: "deleteVersionDraft",
    method: "DELETE",
    scopes: "click:write",
    status: 204,
    request: async (owner) => ({ path: `${(await drafted(owner)).path}/draft` }),
    errors: [
      ...noVersion("/draft"),
      [
        "one that somebody has saved since",
        409,
        "CLICK_VERSION_CONFLICT",
        async (owner) => ({ path: `${(await drafted(owner)).path}/draft?ifUpdatedAt=2026-11-20T17:00:00.000Z` }),
      ],
      [
        "one whose publication is scheduled",
        409,
        "CLICK_VERSION_SCHEDULED",
        async (owner) => ({ path: `${(await scheduled(owner)).path}/draft` }),
      ],
    ],
  },
  {
    operation: "cancelVersionSchedule",
    method: "DELETE",
    scopes: "click:write",
    status: 204,
    request: async (owner) => ({ path: `${(await scheduled(owner)).path}/schedule` }),
    errors: [
      ...noVersion("/schedule"),
      [
        "a version of which nothing is scheduled",
        404,
        "CLICK_SCHEDULE_NOT_FOUND",
        async (owner) => ({ path: `${(await drafted(owner)).path}/schedule` }),
      ],
    ],
  },
  {
    operation: "findVersionApproval",
    method: "GET",
    scopes: "click:read",
    status: 200,
    shape: shape.versionApproval,
    request: async (owner) => ({ path: `${(await drafted(owner)).path}/approval` }),
    errors: noVersion("/approval"),
  },
  {
    operation: "requestVersionApproval",
    method: "POST",
    scopes: "click:write",
    status: 200,
    shape: shape.versionApproval,
    request: async (owner) => ({ path: `${(await drafted(owner)).path}/approval-requests`, body: { note: "Please" } }),
    errors: [
      ...noVersion("/approval-requests", {}),
      [
        "an archived version",
        400,
        "CLICK_VERSION_ARCHIVED",
        async (owner) => ({ path: `${await archived(owner)}/approval-requests`, body: {} }),
      ],
      [
        "a published version without a draft",
        404,
        "CLICK_DRAFT_NOT_FOUND",
        async (owner) => ({ path: `${(await published(owner)).path}/approval-requests`, body: {} }),
      ],
      [
        "a text that is not the one that was read",
        409,
        "CLICK_VERSION_CONFLICT",
        async (owner) => ({
          path: `${(await drafted(owner)).path}/approval-requests`,
          body: { textHash: "sha256:00" },
        }),
      ],
    ],
  },
  {
    operation: "listApprovalRequests",
    method: "GET",
    scopes: "click:read",
    status: 200,
    shape: listOf(shape.approvalRequest),
    request: async (owner) => {
      bodyOf(200, await owner.post(`${(await drafted(owner)).path}/approval-requests`, {}));
      return { path: "/v1/click/approval-requests?limit=3" };
    },
    errors: [
      [
        "a cursor that no page gave",
        400,
        "CLICK_VALIDATION_FAILED",
        () => ({ path: "/v1/click/approval-requests?cursor=nonsense" }),
      ],
    ],
  },
  {
    operation: "getPublicationRules",
    method: "GET",
    scopes: "click:read",
    status: 200,
    shape: shape.publicationRules,
    request: () => ({ path: "/v1/click/publication-rules" }),
    errors: [],
  },
  {
    operation: "archiveVersion",
    method: "POST",
    scopes: "click:admin",
    status: 200,
    shape: shape.version,
    request: ofVersion("/archive"),
    errors: [
      ...noVersion("/archive"),
      [
        "active deployments",
        400,
        "CLICK_VERSION_HAS_ACTIVE_DEPLOYMENTS",
        async (owner) => ({ path: `${(await deployed(owner)).path}/archive` }),
      ],
    ],
  },
];
