import { Link, useSearch } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { CopyLine } from "../../ui/copy-line.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Section } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { type DataField, fieldsOf } from "./data-schema.ts";
import { useTemplateSchema } from "./queries.ts";
import type { Template } from "./types.ts";
import { newestVersions } from "./versions.ts";

/** The published versions, and the data that the chosen one takes. */
export function VersionsSection({ template }: { readonly template: Template }) {
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
    `curl -X POST ${window.location.origin}/v1/gen/documents -H 'Authorization: Bearer $API_KEY'`,
    `-H 'Content-Type: application/json' -d '{"templateId":"${templateId}","data":{}}'`,
  ].join(" ");
