import { describe, expect, test } from "@jest/globals";
import { draftTemplate } from "../domain/new-template.ts";
import { defaultPolicyFlags } from "../domain/policy-flags.ts";
import { changeTemplate, type Template, templateStatus } from "../domain/template.ts";

const now = new Date("2026-11-20T17:00:00.123Z");

const template = (over: Partial<Template> = {}): Template => ({
  organizationId: "01960000-0000-7000-8000-000000000001",
  slug: "terms",
  ...draftTemplate(
    {
      name: "Terms",
      slug: null,
      type: "STATIC",
      description: "Our terms",
      defaultLocale: "en",
      typeConfig: { displayMode: "MODAL" },
      policyFlags: { requireScroll: true },
      counterparty: { legalName: "Acme", address: null, url: null },
      brandId: null,
      metadata: { team: "legal" },
    },
    { id: "01960000-0000-7000-8000-000000000002", clientId: "cl_1", now },
  ),
  ...over,
});

const refusal = (code: string) => expect.objectContaining({ code });

describe("templateStatus", () => {
  test("comes from the versions unless the template is archived", () => {
    expect(templateStatus({ archived: false, publishedVersions: 0 })).toBe("DRAFT");
    expect(templateStatus({ archived: false, publishedVersions: 2 })).toBe("PUBLISHED");
    expect(templateStatus({ archived: true, publishedVersions: 2 })).toBe("ARCHIVED");
  });
});

describe("draftTemplate", () => {
  test("fills in the defaults of its type", () => {
    expect(template().typeConfig).toEqual({ displayMode: "MODAL", downloadable: true });
    expect(template().policyFlags).toEqual({ ...defaultPolicyFlags("STATIC"), requireScroll: true });
  });
});

describe("changeTemplate", () => {
  test("gives only what really changes", () => {
    expect(changeTemplate(template(), { name: "Terms", description: "New", metadata: { team: "legal" } })).toEqual({
      description: "New",
    });
    expect(changeTemplate(template(), {})).toEqual({});
    expect(changeTemplate(template(), { typeConfig: { downloadable: true, displayMode: "MODAL" } })).toEqual({});
  });

  test("clears what can be empty", () => {
    const update = changeTemplate(template(), {
      description: null,
      counterparty: null,
      typeConfig: {},
      policyFlags: {},
    });
    expect(update).toEqual({
      description: null,
      counterparty: null,
      typeConfig: { downloadable: true },
      policyFlags: defaultPolicyFlags("STATIC"),
    });
  });

  test("a new type brings its own defaults and keeps the flags that were stated", () => {
    expect(changeTemplate(template(), { type: "CONSENT" })).toEqual({
      type: "CONSENT",
      typeConfig: { purposes: [] },
      policyFlags: { ...defaultPolicyFlags("CONSENT"), requireScroll: true },
    });
  });

  test("the type is locked by the first publication", () => {
    const publishedOnce = template({ firstPublishedAt: now });
    expect(() => changeTemplate(publishedOnce, { type: "CONSENT" })).toThrow(refusal("CLICK_TEMPLATE_TYPE_LOCKED"));
    expect(changeTemplate(publishedOnce, { type: "STATIC", name: "New" })).toEqual({ name: "New" });
  });

  test("a new configuration must agree with the flags that stay", () => {
    expect(() => changeTemplate(template(), { typeConfig: { displayMode: "LINK" } })).toThrow(
      refusal("CLICK_POLICY_FLAG_CONFLICT"),
    );
  });

  test("an archived template takes no change but its restoration", () => {
    const archived = template({ archivedAt: now });
    expect(() => changeTemplate(archived, { name: "Terms" })).toThrow(refusal("CLICK_TEMPLATE_ARCHIVED"));
    expect(changeTemplate(archived, {})).toEqual({});
    expect(changeTemplate(archived, { restore: true })).toEqual({ archivedAt: null });
    expect(changeTemplate(archived, { restore: true, name: "New" })).toEqual({ archivedAt: null, name: "New" });
  });

  test("restoring what is not archived changes nothing", () => {
    expect(changeTemplate(template(), { restore: true })).toEqual({});
  });
});
