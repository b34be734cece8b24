import type { Transport } from "@connectrpc/connect";
import {
  type ContentFormat,
  TemplateStatus,
  TemplatesService,
  TemplateType,
} from "#gen/assent/templates/v1/templates_pb.ts";
import { DomainError, toConnectError } from "#platform/errors.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";

export interface FakeText {
  readonly versionId: string;
  readonly locale: string;
  readonly format: ContentFormat;
  readonly content: string;
}

export interface FakeTemplates {
  readonly transport: Transport;
  readonly calls: { templates: number; revisions: number };
  /** Adds a template of this organization with published texts, the first in its default locale. */
  add(
    orgId: string,
    template: {
      readonly id: string;
      readonly type?: TemplateType;
      readonly status?: TemplateStatus;
      readonly typeConfig?: Record<string, never> | { variables: Record<string, string | boolean>[] };
      readonly texts: readonly FakeText[];
    },
  ): void;
}

/** A templates service that has published texts and nothing else. */
export function createFakeTemplates(): FakeTemplates {
  const templates = new Map<string, Parameters<FakeTemplates["add"]>[1]>();
  const calls = { templates: 0, revisions: 0 };
  const transport = createMemoryTransport(
    (router) => {
      router.service(TemplatesService, {
        getTemplate: ({ templateId }, { requestHeader }) => {
          calls.templates += 1;
          const found = templates.get(`${requestHeader.get("x-org-id")} ${templateId}`);
          if (found === undefined) throw toConnectError(new DomainError("CLICK_TEMPLATE_NOT_FOUND"));
          const { id, type = TemplateType.STATIC, status = TemplateStatus.PUBLISHED, typeConfig = {}, texts } = found;
          const currentVersions = texts.map(({ versionId, locale }) => ({
            versionId,
            locale,
            revision: 1,
            label: "1.0",
          }));
          const defaultLocale = texts[0]?.locale ?? "en";
          return { template: { id, name: "Terms", type, status, typeConfig, defaultLocale, currentVersions } };
        },
        getRevision: ({ versionId, revision }) => {
          calls.revisions += 1;
          for (const { id, texts } of templates.values()) {
            const text = texts.find((one) => one.versionId === versionId);
            if (text === undefined || revision !== 1) continue;
            const { locale, format, content } = text;
            return { templateId: id, versionId, revision, locale, format, content: Buffer.from(content) };
          }
          throw toConnectError(new DomainError("CLICK_VERSION_NOT_FOUND"));
        },
      });
    },
    { interceptors: [] },
  );
  return { transport, calls, add: (orgId, template) => templates.set(`${orgId} ${template.id}`, template) };
}
