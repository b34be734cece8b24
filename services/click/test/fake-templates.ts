import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import type { Code, ServiceImpl, Transport } from "@connectrpc/connect";
import {
  type ContentFormat,
  type ResolveTemplatesRequest_Item,
  TemplateStatus,
  TemplatesService,
  TemplateType,
  type VersionTextsSchema,
} from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import { newId } from "#platform/ids.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import { type FakeDeployment, newDeployment, resolveDeployment } from "./fake-deployments.ts";
import {
  countTemplateParts,
  type FakeCalls,
  type FakeState,
  getRevision,
  getTemplateFile,
  getVersion,
  type Handlers,
  keepText,
  mayFail,
} from "./fake-versions.ts";

/** Finds the templates that ask for purposes, the newest first. */
const listPublishedPurposes = (
  templates: () => readonly FakeTemplate[],
): Pick<ServiceImpl<typeof TemplatesService>, "listPublishedPurposes"> => ({
  listPublishedPurposes({ purposes }, context) {
    const { orgId } = requireCaller(context);
    const found = templates()
      .filter((one) => one.organizationId === orgId && one.type === TemplateType.CONSENT && !one.archived)
      .filter((one) => one.versions.some((version) => version.published))
      .toReversed()
      .flatMap(({ templateId, typeConfig }) =>
        (typeConfig.purposes as { key: string }[]).map(({ key }) => ({ purpose: key, templateId })),
      );
    return { purposes: found.filter(({ purpose }) => purposes.includes(purpose)) };
  },
});

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
  changeSummary?: string;
  /** The bytes of a text that is a file. */
  pdf?: Buffer;
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
    ...getTemplateFile(state),
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
