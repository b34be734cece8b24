import { bodyOf } from "../support/journeys.ts";
import { listOf } from "../support/shapes.ts";
import * as shape from "../support/template-shapes.ts";
import {
  archived,
  deployed,
  draft,
  type InterfaceRow,
  newVersion,
  noTemplate,
  noVersion,
  ofTemplate,
  ofVersion,
  published,
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
    ],
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
