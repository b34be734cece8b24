import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { ContentFormat, type TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import { DomainError, toConnectError } from "#platform/errors.ts";
import type { FakeTemplate, FakeVersion } from "./fake-templates.ts";

export interface FakeCalls {
  resolve: number;
  /** Items of resolve. */
  resolved: number;
  /** Items of resolve that were answered in full. */
  snapshots: number;
  revision: number;
}

export interface FakeState {
  readonly templates: Map<string, FakeTemplate>;
  /** What was published, by organization, version and revision. */
  readonly texts: Map<string, { readonly template: FakeTemplate; readonly version: FakeVersion }>;
  readonly calls: FakeCalls;
  failure: Code | undefined;
  /** Answers of getRevision wait for it. */
  gate: Promise<void>;
}

const textKey = (organizationId: string, versionId: string, revision: number): string =>
  `${organizationId}/${versionId}/${revision}`;

export const keepText = ({ texts }: FakeState, template: FakeTemplate, version: FakeVersion): void => {
  texts.set(textKey(template.organizationId, version.versionId, version.revision), {
    template,
    version: { ...version },
  });
};

export function mayFail({ failure }: FakeState): void {
  if (failure !== undefined) throw new ConnectError("as the test wants it", failure);
}

export type Handlers<Name extends keyof ServiceImpl<typeof TemplatesService>> = Pick<
  ServiceImpl<typeof TemplatesService>,
  Name
>;

export const getRevision = (state: FakeState): Handlers<"getRevision"> => ({
  async getRevision({ versionId, revision }, context) {
    mayFail(state);
    state.calls.revision += 1;
    await state.gate;
    const text = state.texts.get(textKey(requireCaller(context).orgId, versionId, revision));
    if (text === undefined) throw toConnectError(new DomainError("CLICK_VERSION_NOT_FOUND"));
    const { template, version } = text;
    return {
      templateId: template.templateId,
      versionId,
      revision,
      label: version.label,
      locale: version.locale,
      title: version.title ?? "Terms",
      content: Buffer.from(version.content),
      format: version.format ?? ContentFormat.HTML,
      contentHash: sha256Label(version.content),
      texts: version.texts ?? { buttonText: "I agree" },
      publishedAt: timestampFromDate(new Date("2026-11-01T00:00:00Z")),
      publishedBy: "cl_publisher",
      ...(version.changeSummary === undefined ? {} : { changeSummary: version.changeSummary }),
    };
  },
});

/** The file of a version that is one. */
export const getTemplateFile = (state: FakeState): Handlers<"getTemplateFile"> => ({
  getTemplateFile({ templateId, contentHash }, context) {
    mayFail(state);
    const { orgId } = requireCaller(context);
    const text = [...state.texts.values()].find(
      ({ template, version }) =>
        template.organizationId === orgId &&
        template.templateId === templateId &&
        sha256Label(version.content) === contentHash,
    );
    if (text?.version.pdf === undefined) throw toConnectError(new DomainError("CLICK_FILE_NOT_FOUND"));
    return { content: text.version.pdf };
  },
});

export const getVersion = (state: FakeState): Handlers<"getVersion"> => ({
  getVersion({ templateId, versionId }, context) {
    mayFail(state);
    const template = state.templates.get(templateId);
    const isOwn = template?.organizationId === requireCaller(context).orgId;
    const version = isOwn ? template.versions.find((one) => one.versionId === versionId) : undefined;
    if (version === undefined) throw toConnectError(new DomainError("CLICK_VERSION_NOT_FOUND"));
    const { locale, title = "Terms", content, format = ContentFormat.HTML, texts = {} } = version;
    const contentHash = sha256Label(content);
    return { version: { id: versionId, templateId, locale, title, content, format, texts, contentHash } };
  },
});

export const countTemplateParts = (
  state: FakeState,
  deployments: readonly { readonly template: FakeTemplate; readonly active: boolean }[],
): Handlers<"countTemplateParts"> => ({
  countTemplateParts({ templateId }, context) {
    mayFail(state);
    const template = state.templates.get(templateId);
    if (template?.organizationId !== requireCaller(context).orgId) {
      throw toConnectError(new DomainError("CLICK_TEMPLATE_NOT_FOUND"));
    }
    return {
      totalVersions: template.versions.length,
      publishedVersions: template.versions.filter((version) => version.published).length,
      archivedVersions: template.versions.filter((version) => version.archived === true).length,
      activeDeployments: deployments.filter((one) => one.template === template && one.active).length,
    };
  },
});
