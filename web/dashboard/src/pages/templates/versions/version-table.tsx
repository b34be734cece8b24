import type { Version } from "#api/templates.ts";
import { useTexts } from "../../../texts/texts.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import { Time } from "../../../ui/time.tsx";
import { TemplateState } from "../state-badges.tsx";
import { Revisions } from "./revisions.tsx";
import { VersionActions } from "./version-actions.tsx";

interface VersionTableProps {
  readonly label: string;
  /** The newest first. */
  readonly versions: readonly Version[];
  /** Whether the template is, so that nothing can be published. */
  readonly isArchived: boolean;
}

export function VersionTable({ label, versions, isArchived }: VersionTableProps) {
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
function VersionName({ version: { label, status, title, changeSummary, updatedAt } }: { readonly version: Version }) {
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
    </>
  );
}
