import { useState } from "react";
import type { Revision, Version } from "#api/templates.ts";
import { useTexts } from "../../../texts/texts.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import { Time } from "../../../ui/time.tsx";

/** How many there are; all of them when somebody wants to know. */
export function Revisions({ version }: { readonly version: Version }) {
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
