import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Code, ConnectError, type ServiceImpl, type Transport } from "@connectrpc/connect";
import {
  ContentFormat,
  type ResolveTemplatesRequest_Item,
  TemplateStatus,
  TemplatesService,
  TemplateType,
  type VersionTextsSchema,
} from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import { DomainError, toConnectError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import { type FakeDeployment, newDeployment, resolveDeployment } from "./fake-deployments.ts";
import { listPublishedPurposes } from "./fake-purposes.ts";

export interface FakeVersion {
  readonly versionId: string;
  readonly locale: string;
  revision: number;
  label: string;
  content: string;
  published: boolean;
  archived?: boolean;
  title?: string;
  format?: ContentFormat;
  texts?: MessageInitShape<typeof VersionTextsSchema>;
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
  readonly calls: Readonly<FakeCalls>;
  /** Adds a published STATIC template in English, changed as given. */
  add(organizationId: string, changes?: Partial<FakeTemplate>): FakeTemplate;
  addVersion(template: FakeTemplate, changes?: Partial<FakeVersion>): FakeVersion;
  /** Publishes another text as the next revision of the first version. */
  revise(template: FakeTemplate, content: string): void;
  remove(template: FakeTemplate): void;
  /** Adds an active deployment that serves what is published. */
  deploy(template: FakeTemplate, changes?: Partial<FakeDeployment>): FakeDeployment;
  /** Makes every call fail with this code until it is undefined again. */
  fail(code: Code | undefined): void;
  /** Holds back the answers of getRevision until the function that it returns is called. */
  holdRevisions(): () => void;
}

interface FakeCalls {
  resolve: number;
  /** Items of resolve. */
  resolved: number;
  /** Items of resolve that were answered in full. */
  snapshots: number;
  revision: number;
}

interface FakeState {
  readonly templates: Map<string, FakeTemplate>;
  /** What was published, by organization, version and revision. */
  readonly texts: Map<string, { readonly template: FakeTemplate; readonly version: FakeVersion }>;
  readonly calls: FakeCalls;
  failure: Code | undefined;
  /** Answers of getRevision wait for it. */
  gate: Promise<void>;
}

/** The templates service as far as the click service uses it, in memory. */
export function createFakeTemplates(): FakeTemplates {
  const calls = { resolve: 0, resolved: 0, snapshots: 0, revision: 0 };
  const state: FakeState = {
    templates: new Map(),
    texts: new Map(),
    calls,
    failure: undefined,
    gate: Promise.resolve(),
  };
  const deployments: FakeDeployment[] = [];
  const handlers = {
    ...resolveTemplates(state),
    ...getRevision(state),
    ...getVersion(state),
    ...countTemplateParts(state, deployments),
    ...resolveDeployment(deployments, snapshot),
    ...listPublishedPurposes(() => {
      mayFail(state);
      return [...state.templates.values()];
    }),
  };
  const addVersion = (template: FakeTemplate, changes: Partial<FakeVersion> = {}): FakeVersion => {
    const version = { versionId: newId(), ...published, ...changes };
    template.versions.push(version);
    keepText(state, template, version);
    return version;
  };
  return {
    transport: createMemoryTransport((router) => router.service(TemplatesService, handlers), { interceptors: [] }),
    calls,
    add: (organizationId, changes = {}) => {
      const templateId = newId();
      const template = {
        organizationId,
        templateId,
        slug: `terms-${templateId}`,
        versions: [],
        ...plain(),
        ...changes,
      };
      state.templates.set(templateId, template);
      if (changes.versions === undefined) addVersion(template);
      return template;
    },
    addVersion,
    revise: (template, content) => {
      const version = template.versions[0] as FakeVersion;
      const revision = version.revision + 1;
      Object.assign(version, { revision, label: `${revision}.0`, content });
      keepText(state, template, version);
    },
    remove: (template) => state.templates.delete(template.templateId),
    deploy: (template, changes = {}) => {
      const deployment = newDeployment(template, changes);
      deployments.push(deployment);
      return deployment;
    },
    fail: (code) => {
      state.failure = code;
    },
    holdRevisions: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      state.gate = promise;
      return resolve;
    },
  };
}

const published = { locale: "en", revision: 1, label: "1.0", content: "<p>The terms.</p>", published: true };

const plain = () => ({
  name: "Terms",
  type: TemplateType.STATIC,
  defaultLocale: "en",
  archived: false,
  typeConfig: {},
  policyFlags: {},
});

const textKey = (organizationId: string, versionId: string, revision: number): string =>
  `${organizationId}/${versionId}/${revision}`;

const keepText = ({ texts }: FakeState, template: FakeTemplate, version: FakeVersion): void => {
  texts.set(textKey(template.organizationId, version.versionId, version.revision), {
    template,
    version: { ...version },
  });
};

function mayFail({ failure }: FakeState): void {
  if (failure !== undefined) throw new ConnectError("as the test wants it", failure);
}

type Handlers<Name extends keyof ServiceImpl<typeof TemplatesService>> = Pick<
  ServiceImpl<typeof TemplatesService>,
  Name
>;

const resolveTemplates = (state: FakeState): Handlers<"resolveTemplates"> => ({
  resolveTemplates({ items }) {
    mayFail(state);
    state.calls.resolve += 1;
    state.calls.resolved += items.length;
    return {
      results: items.map((item) => {
        const template = find(state, item);
        if (template === undefined) return { etag: "" };
        const etag = sha256Label(JSON.stringify(template)).slice("sha256:".length);
        if (etag === item.knownEtag) return { etag };
        state.calls.snapshots += 1;
        return { etag, snapshot: snapshot(template) };
      }),
    };
  },
});

const find = ({ templates }: FakeState, { organizationId, template }: ResolveTemplatesRequest_Item) =>
  [...templates.values()].find(
    (one) =>
      one.organizationId === organizationId &&
      (template.case === "templateId" ? one.templateId : one.slug) === template.value,
  );

const getRevision = (state: FakeState): Handlers<"getRevision"> => ({
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
    };
  },
});

const getVersion = (state: FakeState): Handlers<"getVersion"> => ({
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

const countTemplateParts = (
  state: FakeState,
  deployments: readonly FakeDeployment[],
): Handlers<"countTemplateParts"> => ({
  countTemplateParts({ templateId }, context) {
    mayFail(state);
    const template = state.templates.get(templateId);
    if (template?.organizationId !== requireCaller(context).orgId) {
      throw toConnectError(new DomainError("CLICK_TEMPLATE_NOT_FOUND"));
    }
    return {
      versions: template.versions.length,
      publishedVersions: template.versions.filter((version) => version.published).length,
      archivedVersions: template.versions.filter((version) => version.archived === true).length,
      activeDeployments: deployments.filter((one) => one.template === template && one.active).length,
    };
  },
});

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
