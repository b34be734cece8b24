import "./generation.css";
import { useState } from "react";
import type { GenTemplate as Template } from "#api/generation-templates.ts";
import { useApi } from "../../api/client.ts";
import { Link, useSearch } from "../../app/router.tsx";
import type { PageParams } from "../../app/routes.tsx";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { CopyLine } from "../../ui/copy-line.tsx";
import { LinkTabs, Page, Section } from "../../ui/page.tsx";
import { EmptyState, ErrorNotice, ErrorState, Loading, Notice } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useAction } from "../../ui/use-action.ts";
import { type DataField, fieldsOf } from "./batch-input.ts";
import { ContentSection } from "./content-section.tsx";
import { type DraftState, NotData, Overtaken, useDraft } from "./draft.ts";
import { TemplateState } from "./parts.tsx";
import { Preview } from "./preview.tsx";
import { newestVersions, templatePath, useGenerationChanges, useTemplate, useTemplateSchema } from "./queries.ts";
import { SettingsSection } from "./settings-section.tsx";

export function GenTemplatePage({ params }: PageParams) {
  const id = params.get("id") ?? "";
  const texts = useTexts("generation");
  const { data: template, error, refetch } = useTemplate(id);
  if (template !== undefined) return <Loaded template={template} />;
  return (
    <Page title={texts.template} intro={<Link to="/generation">{texts.backToTemplates}</Link>}>
      {error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />}
    </Page>
  );
}

const tabs = ["content", "preview", "versions", "settings"] as const;

function Loaded({ template }: { readonly template: Template }) {
  const texts = useTexts("generation");
  const mayChange = useSession().can("gen:write");
  const search = useSearch();
  const current = tabs.find((name) => name === search.get("tab")) ?? "content";
  const draft = useDraft(template);
  const path = `/generation/templates/${template.id}`;
  const intro = (
    <span className="gen-badges">
      <Link to="/generation">{texts.backToTemplates}</Link>
      <TemplateState template={template} />
    </span>
  );
  return (
    <Page title={template.name} intro={intro}>
      {mayChange && <TemplateActions template={template} draft={draft} />}
      <LinkTabs
        label={texts.templateTabs}
        tabs={tabs.map((name) => ({
          to: name === "content" ? path : `${path}?tab=${name}`,
          text: texts.tabNames[name],
          isCurrent: name === current,
        }))}
      />
      {current === "content" && <ContentSection template={template} draft={draft} mayChange={mayChange} />}
      {current === "preview" && <Preview template={template} draft={draft} mayRender={mayChange} />}
      {current === "versions" && <VersionsSection template={template} />}
      {current === "settings" && <SettingsSection template={template} mayChange={mayChange} />}
    </Page>
  );
}

interface TemplateActionsProps {
  readonly template: Template;
  readonly draft: DraftState;
}

/** Saving what was written, publishing it, and what became of that. */
function TemplateActions({ template, draft }: TemplateActionsProps) {
  const texts = useTexts("generation");
  const api = useApi();
  const { templateIs } = useGenerationChanges();
  const [done, setDone] = useState("");
  const save = useAction(async () => {
    setDone("");
    publish.clear();
    await draft.save();
    setDone(texts.savedDraft);
  });
  const publish = useAction(async () => {
    setDone("");
    save.clear();
    await draft.save();
    const published = await api.send<Template>("POST", `${templatePath(template.id)}/publish`);
    await templateIs(published);
    setDone(texts.publishedNow(published.publishedVersion ?? 0));
  });
  const isBusy = save.isBusy || publish.isBusy;
  const canPublish = draft.isChanged || template.hasChanges || template.publishedVersion === null;
  return (
    <>
      <div className="form-buttons">
        <Button
          kind="primary"
          isBusy={save.isBusy}
          isDisabled={!draft.isChanged || isBusy}
          onPress={() => void save.run()}
        >
          {texts.save}
        </Button>
        <Button isBusy={publish.isBusy} isDisabled={!canPublish || isBusy} onPress={() => void publish.run()}>
          {draft.isChanged ? texts.saveAndPublish : texts.publish}
        </Button>
        {template.publishedVersion !== null && (
          <ButtonLink to={`/generation/batches?new=${template.id}`}>{texts.batchOf}</ButtonLink>
        )}
        {draft.isChanged && <span className="gen-aside">{texts.unsaved}</span>}
      </div>
      <Problem error={save.error ?? publish.error} />
      {draft.isOvertaken && <Conflict draft={draft} />}
      {done !== "" && !draft.isChanged && <Notice tone="success">{done}</Notice>}
    </>
  );
}

function Problem({ error }: { readonly error: unknown }) {
  const texts = useTexts("generation");
  if (error === undefined || error instanceof Overtaken) return null;
  if (error instanceof NotData) return <Notice tone="danger">{texts.sampleWrong}</Notice>;
  return <ErrorNotice error={error} />;
}

/** Keeps what was written here, and overwrites nobody else's work without asking. */
function Conflict({ draft }: { readonly draft: DraftState }) {
  const texts = useTexts("generation");
  const over = useAction(() => draft.save({ over: true }));
  return (
    <Notice tone="warning" title={texts.conflictTitle}>
      <p>{texts.conflictText}</p>
      <div className="form-buttons">
        <Button isBusy={over.isBusy} onPress={() => void over.run()}>
          {texts.saveOver}
        </Button>
        <Button isDisabled={over.isBusy} onPress={draft.discard}>
          {texts.takeTheirs}
        </Button>
      </div>
      <Problem error={over.error} />
    </Notice>
  );
}

/** The published versions, and the data that the chosen one takes. */
function VersionsSection({ template }: { readonly template: Template }) {
  const texts = useTexts("generation");
  const search = useSearch();
  const { publishedVersion } = template;
  const versions = newestVersions(publishedVersion);
  const chosen = versions.find((version) => String(version) === search.get("version")) ?? versions[0];
  return (
    <>
      <Section title={texts.tabNames.versions} intro={texts.versionsHelp}>
        {publishedVersion === null ? (
          <EmptyState title={texts.noVersions} text={texts.noVersionsText} />
        ) : (
          <VersionTable template={template} versions={versions} />
        )}
      </Section>
      <Section
        title={chosen === undefined ? texts.schemaOfDraft : texts.schemaOf(chosen)}
        intro={texts.schemaHelp}
        actions={<Link to={`/generation/documents?templateId=${template.id}`}>{texts.documentsOf}</Link>}
      >
        <SchemaTable template={template} version={chosen} />
        {publishedVersion !== null && <CopyLine text={createLine(template.id)} />}
      </Section>
    </>
  );
}

interface VersionTableProps {
  readonly template: Template;
  readonly versions: readonly number[];
}

function VersionTable({ template, versions }: VersionTableProps) {
  const texts = useTexts("generation");
  const path = `/generation/templates/${template.id}`;
  const columns: Column<number>[] = [
    {
      id: "version",
      title: texts.version,
      cell: (version) => <Link to={`${path}?tab=versions&version=${version}`}>{texts.versionNumber(version)}</Link>,
    },
    {
      id: "published",
      title: texts.published,
      cell: (version) =>
        version === template.publishedVersion ? <Time value={template.publishedAt} /> : texts.earlier,
    },
    {
      id: "preview",
      title: texts.tabNames.preview,
      cell: (version) => <Link to={`${path}?tab=preview&version=${version}`}>{texts.previewOf(version)}</Link>,
    },
  ];
  return <Table label={texts.tabNames.versions} columns={columns} rows={versions} rowKey={String} empty={null} />;
}

function SchemaTable({ template, version }: { readonly template: Template; readonly version: number | undefined }) {
  const texts = useTexts("generation");
  const { data: schema, error, refetch } = useTemplateSchema(template.id, version);
  if (schema === undefined) return error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />;
  const columns: Column<DataField>[] = [
    { id: "path", title: texts.field, cell: ({ path }) => <code>{path}</code> },
    { id: "type", title: texts.type, cell: ({ types }) => types.map((type) => texts.types[type] ?? type).join(", ") },
    { id: "required", title: texts.needed, cell: ({ isRequired }) => (isRequired ? texts.yes : texts.no) },
  ];
  return (
    <Table
      label={texts.schemaHelp}
      columns={columns}
      rows={fieldsOf(schema)}
      rowKey={({ path }) => path}
      empty={<p>{texts.noFields}</p>}
    />
  );
}

const createLine = (templateId: string): string =>
  [
    `curl -X POST ${window.location.origin}/v1/gen/documents -H "Authorization: Bearer $API_KEY"`,
    `-H 'Content-Type: application/json' -d '{"templateId":"${templateId}","data":{}}'`,
  ].join(" ");
