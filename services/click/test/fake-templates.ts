import type { JsonObject } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Code, ConnectError, type Transport } from "@connectrpc/connect";
import {
  ContentFormat,
  type ResolveTemplatesRequest_Item,
  TemplateStatus,
  TemplatesService,
  TemplateType,
} from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import { DomainError, toConnectError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";

export interface FakeVersion {
  readonly versionId: string;
  readonly locale: string;
  revision: number;
  label: string;
  content: string;
  published: boolean;
}

export interface FakeTemplate {
  readonly organizationId: string;
  readonly templateId: string;
  slug: string;
  name: string;
  type: TemplateType;
  defaultLocale: string;
  archived: boolean;
  typeConfig: JsonObject;
  policyFlags: JsonObject;
  versions: FakeVersion[];
}

export interface FakeTemplates {
  readonly transport: Transport;
  /** How often each RPC was called. */
  readonly calls: { resolve: number; resolved: number; snapshots: number; revision: number; version: number };
  /** Adds a published STATIC template in English, changed as given. */
  add(organizationId: string, changes?: Partial<FakeTemplate>): FakeTemplate;
  addVersion(template: FakeTemplate, changes?: Partial<FakeVersion>): FakeVersion;
  /** Publishes another text as the next revision. */
  revise(version: FakeVersion, content: string): void;
  remove(template: FakeTemplate): void;
  /** Makes every call fail with this code until it is undefined again. */
  fail(code: Code | undefined): void;
}

/** The templates service as far as the click service uses it, in memory. */
export function createFakeTemplates(): FakeTemplates {
  const templates = new Map<string, FakeTemplate>();
  const texts = new Map<string, { template: FakeTemplate; version: FakeVersion }>();
  const calls = { resolve: 0, resolved: 0, snapshots: 0, revision: 0, version: 0 };
  let failure: Code | undefined;

  const keepText = (template: FakeTemplate, version: FakeVersion): void => {
    texts.set(`${template.organizationId}/${version.versionId}/${version.revision}`, {
      template,
      version: { ...version },
    });
  };
  const owner = (version: FakeVersion): FakeTemplate => {
    const found = [...templates.values()].find((template) => template.versions.includes(version));
    if (found === undefined) throw new Error("the version belongs to no template");
    return found;
  };
  const mayFail = (): void => {
    if (failure !== undefined) throw new ConnectError("as the test wants it", failure);
  };
  const find = (item: ResolveTemplatesRequest_Item): FakeTemplate | undefined =>
    [...templates.values()].find(
      (template) =>
        template.organizationId === item.organizationId &&
        (item.template.case === "templateId"
          ? template.templateId === item.template.value
          : template.slug === item.template.value),
    );

  const transport = createMemoryTransport(
    (router) =>
      router.service(TemplatesService, {
        resolveTemplates: ({ items }) => {
          mayFail();
          calls.resolve += 1;
          calls.resolved += items.length;
          return {
            results: items.map((item) => {
              const template = find(item);
              if (template === undefined) return { etag: "" };
              const etag = sha256Label(JSON.stringify(template)).slice(7);
              if (etag === item.knownEtag) return { etag };
              calls.snapshots += 1;
              return { etag, snapshot: snapshot(template) };
            }),
          };
        },
        getRevision: ({ versionId, revision }, context) => {
          mayFail();
          calls.revision += 1;
          const text = texts.get(`${requireCaller(context).orgId}/${versionId}/${revision}`);
          if (text === undefined) throw toConnectError(new DomainError("CLICK_VERSION_NOT_FOUND"));
          const { template, version } = text;
          return {
            templateId: template.templateId,
            versionId,
            revision,
            label: version.label,
            locale: version.locale,
            title: "Terms",
            content: Buffer.from(version.content),
            format: ContentFormat.HTML,
            contentHash: sha256Label(version.content),
            texts: { buttonText: "I agree" },
            publishedAt: timestampFromDate(new Date("2026-11-01T00:00:00Z")),
            publishedBy: "cl_publisher",
          };
        },
        getVersion: ({ templateId, versionId }, context) => {
          mayFail();
          calls.version += 1;
          const template = templates.get(templateId);
          const isKnown =
            template?.organizationId === requireCaller(context).orgId &&
            template.versions.some((version) => version.versionId === versionId);
          if (!isKnown) throw toConnectError(new DomainError("CLICK_VERSION_NOT_FOUND"));
          return { version: { id: versionId } };
        },
      }),
    { interceptors: [] },
  );
  const addVersion = (template: FakeTemplate, changes: Partial<FakeVersion> = {}): FakeVersion => {
    const version = {
      versionId: newId(),
      locale: "en",
      revision: 1,
      label: "1.0",
      content: "<p>The terms.</p>",
      published: true,
      ...changes,
    };
    template.versions.push(version);
    keepText(template, version);
    return version;
  };
  return {
    transport,
    calls,
    add: (organizationId, changes = {}) => {
      const templateId = newId();
      const template: FakeTemplate = {
        organizationId,
        templateId,
        slug: `terms-${templateId}`,
        name: "Terms",
        type: TemplateType.STATIC,
        defaultLocale: "en",
        archived: false,
        typeConfig: {},
        policyFlags: {},
        versions: [],
        ...changes,
      };
      templates.set(template.templateId, template);
      if (changes.versions === undefined) addVersion(template);
      for (const version of template.versions) keepText(template, version);
      return template;
    },
    addVersion,
    revise: (version, content) => {
      version.revision += 1;
      version.label = `${version.revision}.0`;
      version.content = content;
      keepText(owner(version), version);
    },
    remove: (template) => templates.delete(template.templateId),
    fail: (code) => {
      failure = code;
    },
  };
}

const snapshot = (template: FakeTemplate) => ({
  organizationId: template.organizationId,
  templateId: template.templateId,
  slug: template.slug,
  name: template.name,
  type: template.type,
  status: template.archived ? TemplateStatus.ARCHIVED : TemplateStatus.PUBLISHED,
  defaultLocale: template.defaultLocale,
  typeConfig: template.typeConfig,
  policyFlags: template.policyFlags,
  counterparty: { legalName: "Example Ltd" },
  publishedVersions: template.versions
    .filter((version) => version.published)
    .map(({ versionId, locale, revision, label, content }) => ({
      versionId,
      locale,
      revision,
      label,
      contentHash: sha256Label(content),
    })),
});
