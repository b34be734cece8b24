import { bodyOf } from "../support/journeys.ts";
import { fields, listOf } from "../support/shapes.ts";
import * as shape from "../support/template-shapes.ts";
import {
  deployed,
  draft,
  type InterfaceRow,
  noTemplate,
  ofTemplate,
  published,
  refused,
  templates,
  unique,
  unknownId,
} from "./interface-requests.ts";

const ids = (length: number): string[] => Array.from({ length }, () => unknownId);
const invalid = "CLICK_VALIDATION_FAILED";
const skipped = listOf(fields({ id: "uuid", reason: ["not_found", "has_active_deployments"] }));

export const templateRows: readonly InterfaceRow[] = [
  {
    operation: "findAllTemplates",
    method: "GET",
    scopes: "click:read",
    status: 200,
    shape: listOf(shape.templateWithVersions),
    request: async (owner) => {
      await draft(owner);
      return { path: `${templates}?includeVersions=true` };
    },
    errors: [],
  },
  {
    operation: "createTemplate",
    method: "POST",
    scopes: "click:write",
    status: 201,
    shape: shape.template,
    request: () => ({ path: templates, body: { name: "New", type: "STATIC" } }),
    errors: [
      [
        "a slug that is taken",
        409,
        "CLICK_TEMPLATE_SLUG_EXISTS",
        async (owner) => ({
          path: templates,
          body: { name: "Other", type: "STATIC", slug: (await published(owner)).slug },
        }),
      ],
    ],
  },
  {
    operation: "findOneTemplate",
    method: "GET",
    scopes: "click:read",
    status: 200,
    shape: shape.templateWithVersions,
    request: ofTemplate("?includeVersions=true"),
    errors: noTemplate(""),
  },
  {
    operation: "updateTemplate",
    method: "PATCH",
    scopes: "click:write",
    status: 200,
    shape: shape.template,
    request: ofTemplate("", { name: "Renamed" }),
    errors: [
      ...noTemplate("", { name: "Renamed" }),
      [
        "a slug that is taken",
        409,
        "CLICK_TEMPLATE_SLUG_EXISTS",
        async (owner) => ({ path: (await draft(owner)).template, body: { slug: (await published(owner)).slug } }),
      ],
    ],
  },
  {
    operation: "removeTemplate",
    method: "DELETE",
    scopes: "click:admin",
    status: 204,
    request: ofTemplate(""),
    errors: [
      ...noTemplate(""),
      [
        "active deployments",
        400,
        "CLICK_TEMPLATE_HAS_ACTIVE_DEPLOYMENTS",
        async (owner) => ({ path: `${templates}/${(await deployed(owner)).templateId}` }),
      ],
    ],
  },
  {
    operation: "getTemplateStats",
    method: "GET",
    scopes: "click:read",
    status: 200,
    shape: shape.stats,
    request: ofTemplate("/stats"),
    errors: noTemplate("/stats"),
  },
  {
    operation: "listAgreementStates",
    method: "POST",
    scopes: "click:read",
    status: 200,
    shape: fields({
      asOf: "time",
      users: listOf(fields({ userRef: "text", outstanding: "flag", agreement: "object?" })),
    }),
    request: ofTemplate("/agreement-states", { userRefs: ["user-1"] }),
    errors: noTemplate("/agreement-states", { userRefs: ["user-1"] }),
  },
  {
    operation: "getTemplateTypes",
    method: "GET",
    scopes: "click:read",
    status: 200,
    shape: shape.templateTypes,
    request: () => ({ path: `${templates}/types` }),
    errors: [],
  },
  {
    operation: "getTemplateConfiguration",
    method: "GET",
    scopes: "click:read",
    status: 200,
    shape: shape.configuration,
    request: ofTemplate("/configuration"),
    errors: noTemplate("/configuration"),
  },
  {
    operation: "applyPolicyFlags",
    method: "POST",
    scopes: "click:write",
    status: 200,
    shape: shape.configuration,
    request: ofTemplate("/policy-flags", { policyFlags: { requireScroll: true } }),
    errors: [
      ...noTemplate("/policy-flags", { policyFlags: { requireScroll: true } }),
      ["an unknown flag", 400, "CLICK_POLICY_FLAG_INVALID", ofTemplate("/policy-flags", { requireScrol: true })],
      ["a bad value", 400, "CLICK_POLICY_FLAG_INVALID", ofTemplate("/policy-flags", { requireScroll: "yes" })],
    ],
  },
  {
    operation: "getVerificationRequirements",
    method: "GET",
    scopes: "click:read",
    status: 200,
    shape: shape.verificationRequirements,
    request: async (owner) => {
      const { template } = await draft(owner);
      bodyOf(200, await owner.post(`${template}/policy-flags`, { verificationMethods: ["CUSTOMER_SESSION"] }));
      return { path: `${template}/verification-requirements` };
    },
    errors: noTemplate("/verification-requirements"),
  },
  {
    operation: "validateContent",
    method: "POST",
    scopes: "click:read",
    status: 200,
    shape: shape.contentReport,
    request: () => ({ path: `${templates}/validate-content`, body: { type: "STATIC", content: "<script>1</script>" } }),
    errors: refused(invalid, `${templates}/validate-content`, {
      "no type": { content: "<p>Text</p>" },
      "no content": { type: "STATIC" },
      "an unknown type": { type: "OTHER", content: "<p>Text</p>" },
      "an unknown format": { type: "STATIC", content: "<p>Text</p>", format: "docx" },
      "content that is no text": { type: "STATIC", content: 1 },
    }),
  },
  {
    operation: "bulkArchiveTemplates",
    method: "POST",
    scopes: "click:admin",
    status: 200,
    shape: fields({ archived: "count", skipped }),
    request: async (owner) => ({
      path: `${templates}/bulk/archive`,
      body: { templateIds: [(await draft(owner)).templateId, unknownId] },
    }),
    errors: refused(invalid, `${templates}/bulk/archive`, {
      "a malformed id": { templateIds: [unique("id")] },
      "no ids": { templateIds: [] },
      "more than 100 ids": { templateIds: ids(101) },
      "an absent list": {},
    }),
  },
  {
    operation: "bulkDuplicateTemplates",
    method: "POST",
    scopes: "click:admin",
    status: 200,
    shape: fields({ duplicates: listOf(fields({ sourceId: "uuid", newId: "uuid", name: "text" })), skipped }),
    request: async (owner) => ({
      path: `${templates}/bulk/duplicate`,
      body: { templateIds: [(await draft(owner)).templateId, unknownId] },
    }),
    errors: refused(invalid, `${templates}/bulk/duplicate`, {
      "a malformed id": { templateIds: [unique("id")] },
      "no ids": { templateIds: [] },
      "more than 50 ids": { templateIds: ids(51) },
      "a pattern that is too long": { templateIds: ids(1), namePattern: "n".repeat(256) },
    }),
  },
];
