import { useState } from "react";
import type { Revision, Template, Version } from "#api/templates.ts";
import { useSearch } from "../../../app/router.tsx";
import { useSession } from "../../../app/session.tsx";
import { useLanguage, useTexts } from "../../../texts/texts.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Section } from "../../../ui/page.tsx";
import { EmptyState, ErrorState, Loading } from "../../../ui/states.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import { Time } from "../../../ui/time.tsx";
import { Comparison } from "../compare/comparison.tsx";
import { languageName, type TemplateTabProps } from "../configuration.ts";
import { useTemplate, useVersions } from "../queries.ts";
import { TemplateState } from "../state-badges.tsx";
import { ApprovalNote } from "./approval.tsx";
import { ScheduleNote, useReadAtPublications } from "./schedule.tsx";
import { VersionActions } from "./version-actions.tsx";

/** By language, the main one first; a comparison that the address asks for comes before them. */
export function VersionsTab({ templateId }: TemplateTabProps) {
  const texts = useTexts("templates");
  const { locale } = useLanguage();
  const search = useSearch();
  const { data: template } = useTemplate(templateId);
  const { data: versions, error, refetch } = useVersions(templateId);
  useReadAtPublications(templateId, versions);
  if (versions === undefined || template === undefined) {
    return error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />;
  }
  if (versions.length === 0) return <NoVersions template={template} />;
  return (
    <>
      {search.has("from") ? <Comparison versions={versions} /> : <p className="page-intro">{texts.versionsIntro}</p>}
      {byLocale(versions, template.defaultLocale).map(([tag, ofLocale]) => (
        <Section
          key={tag}
          title={languageName(tag, locale)}
          intro={tag === template.defaultLocale ? texts.mainLanguage : undefined}
        >
          <VersionTable
            label={texts.versionsOf(languageName(tag, locale))}
            versions={ofLocale}
            isArchived={template.status === "ARCHIVED"}
          />
        </Section>
      ))}
    </>
  );
}

function NoVersions({ template }: { readonly template: Template }) {
  const texts = useTexts("templates");
  const mayWrite = useSession().can("click:write") && template.status !== "ARCHIVED";
  return (
    <EmptyState
      title={texts.noVersions}
      text={mayWrite ? texts.noVersionsText : texts.noVersionsReadOnly}
      action={mayWrite && <ButtonLink to={`/templates/${template.id}`}>{texts.writeText}</ButtonLink>}
    />
  );
}

/** Each with its newest version first. */
function byLocale(versions: readonly Version[], main: string): [string, Version[]][] {
  const groups = new Map<string, Version[]>();
  for (const version of [...versions].reverse()) {
    groups.set(version.locale, [...(groups.get(version.locale) ?? []), version]);
  }
  const rank = (tag: string): string => (tag === main ? "" : tag);
  return [...groups].sort(([a], [b]) => (rank(a) < rank(b) ? -1 : 1));
}

interface VersionTableProps {
  readonly label: string;
  /** The newest first. */
  readonly versions: readonly Version[];
  /** Whether the template is, so that nothing can be published. */
  readonly isArchived: boolean;
}

function VersionTable({ label, versions, isArchived }: VersionTableProps) {
  const texts = useTexts("templates");
  const columns: Column<Version>[] = [
    { id: "version", title: texts.version, cell: (version) => <VersionName version={version} />, width: "broad" },
    { id: "status", title: texts.status, cell: ({ status }) => <TemplateState status={status} /> },
    { id: "published", title: texts.publishedAt, cell: ({ publishedAt }) => <Time value={publishedAt} /> },
    { id: "revisions", title: texts.revisionsTitle, cell: (version) => <Revisions version={version} /> },
    {
      id: "actions",
      title: "",
      cell: (version) => <VersionActions version={version} isTemplateArchived={isArchived} />,
    },
  ];
  return <Table label={label} columns={columns} rows={versions} rowKey={({ id }) => id} empty={null} />;
}

/** Its label, with the title that people see. */
function VersionName({ version }: { readonly version: Version }) {
  const { label, status, title, changeSummary, updatedAt, draft } = version;
  const texts = useTexts("templates");
  const isDraft = status === "DRAFT";
  const name = label === null ? texts.draftVersion : isDraft ? texts.draftChanged(label) : label;
  return (
    <>
      {name}
      {title && <div className="template-aside">{title}</div>}
      {changeSummary && <div className="template-aside">{changeSummary}</div>}
      <div className="template-aside">
        {texts.changed} <Time value={updatedAt} />
      </div>
      <ScheduleNote version={version} />
      <ApprovalNote version={version} />
      {draft !== null && (
        <div className="template-aside">
          <Badge tone="info">{texts.nextText}</Badge> {texts.changed} <Time value={draft.updatedAt} />
        </div>
      )}
    </>
  );
}

/** How many there are; all of them when somebody wants to know. */
function Revisions({ version }: { readonly version: Version }) {
  const texts = useTexts("templates");
  const [isOpen, setIsOpen] = useState(false);
  const { revisions } = version;
  if (revisions.length === 0) return <span className="template-aside">{texts.noRevisions}</span>;
  return (
    <>
      <Button kind="quiet" onPress={() => setIsOpen(true)}>
        {texts.revisions(revisions.length)}
      </Button>
      <Dialog title={texts.revisionsTitle} isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <RevisionTable revisions={[...revisions].sort((a, b) => b.revision - a.revision)} />
      </Dialog>
    </>
  );
}

function RevisionTable({ revisions }: { readonly revisions: readonly Revision[] }) {
  const texts = useTexts("templates");
  const columns: Column<Revision>[] = [
    { id: "label", title: texts.revisionLabel, cell: ({ label }) => label },
    { id: "published", title: texts.publishedAt, cell: ({ publishedAt }) => <Time value={publishedAt} seconds /> },
    {
      id: "again",
      title: texts.askedAgain,
      cell: ({ requiresReacceptance }) => (requiresReacceptance ? texts.yes : texts.no),
    },
    { id: "hash", title: texts.contentHash, cell: ({ contentHash }) => <code>{contentHash}</code> },
  ];
  return (
    <Table
      label={texts.revisionsTitle}
      columns={columns}
      rows={revisions}
      rowKey={({ revision }) => String(revision)}
      empty={null}
    />
  );
}
