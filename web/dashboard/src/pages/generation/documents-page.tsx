import { useState } from "react";
import type { GenDocument } from "#api/generation-documents.ts";
import { useApi } from "../../api/client.ts";
import { Link, useNavigate, useSearch } from "../../app/router.tsx";
import { useSession } from "../../app/session.tsx";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { DocumentState, GenerationTabs, RowPages, StatusFilter, statusIn } from "./parts.tsx";
import { documentPath, documentStatuses, useDocuments, useGenerationChanges } from "./queries.ts";

export function DocumentsPage() {
  const texts = useTexts("generation");
  const search = useSearch();
  const status = statusIn(search, "status", documentStatuses);
  const templateId = search.get("templateId") ?? undefined;
  const list = useDocuments({ status, templateId });
  const [asked, setAsked] = useState<GenDocument>();
  const columns = useColumns(setAsked);
  const isNarrowed = status !== undefined || templateId !== undefined;
  return (
    <Page title={texts.documents} intro={texts.documentsIntro}>
      <GenerationTabs current="documents" />
      <StatusFilter label={texts.state} name="status" words={texts.documentStates} statuses={documentStatuses} />
      {templateId !== undefined && <OfTemplate id={templateId} />}
      <RowPages
        list={list}
        label={texts.documents}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          isNarrowed ? (
            <EmptyState title={texts.noneMatch} text={texts.noneMatchText} />
          ) : (
            <EmptyState title={texts.noDocuments} text={texts.noDocumentsText} />
          )
        }
      />
      <DeleteDocument document={asked} onClose={() => setAsked(undefined)} />
    </Page>
  );
}

function OfTemplate({ id }: { readonly id: string }) {
  const texts = useTexts("generation");
  const navigate = useNavigate();
  return (
    <div className="form-buttons">
      <span>
        {texts.onlyOf} <Link to={`/generation/templates/${id}`}>{texts.thisTemplate}</Link>
      </span>
      <Button onPress={() => navigate("/generation/documents", { replace: true })}>{texts.showAll}</Button>
    </div>
  );
}

function useColumns(onDelete: (document: GenDocument) => void): Column<GenDocument>[] {
  const texts = useTexts("generation");
  const { locale } = useLanguage();
  const mayChange = useSession().can("gen:write");
  const buttons: Column<GenDocument> = {
    id: "buttons",
    title: "",
    align: "end",
    cell: (document) => (
      <Button kind="quiet" aria-label={texts.deleteNamed(document.output.fileName)} onPress={() => onDelete(document)}>
        {texts.remove}
      </Button>
    ),
  };
  return [
    { id: "name", title: texts.file, cell: (document) => <FileCell document={document} /> },
    { id: "state", title: texts.state, cell: (document) => <StateCell document={document} /> },
    { id: "pages", title: texts.pages, align: "end", cell: ({ pages }) => (pages === 0 ? "–" : pages) },
    { id: "size", title: texts.fileSize, align: "end", cell: ({ bytes }) => kilobytes(bytes, locale) },
    { id: "created", title: texts.created, cell: ({ createdAt }) => <Time value={createdAt} /> },
    ...(mayChange ? [buttons] : []),
  ];
}

const kilobytes = (bytes: number, locale: string): string =>
  bytes === 0
    ? "–"
    : new Intl.NumberFormat(locale, { style: "unit", unit: "kilobyte", maximumFractionDigits: 0 }).format(
        Math.max(1, bytes / 1_000),
      );

function FileCell({ document }: { readonly document: GenDocument }) {
  const texts = useTexts("generation");
  const { contentUrl, output, templateId, version, batchId } = document;
  return (
    <>
      {contentUrl === null ? (
        output.fileName
      ) : (
        <a href={contentUrl} download={output.fileName}>
          {output.fileName}
        </a>
      )}
      <div className="gen-aside">
        {templateId !== null && <Link to={`/generation/templates/${templateId}`}>{texts.ofTemplate(version)}</Link>}
        {batchId !== null && (
          <>
            {" "}
            <Link to={`/generation/batches/${batchId}`}>{texts.ofBatch}</Link>
          </>
        )}
      </div>
    </>
  );
}

function StateCell({ document: { status, error } }: { readonly document: GenDocument }) {
  return (
    <>
      <DocumentState status={status} />
      {error !== null && <div className="gen-aside">{error.message}</div>}
    </>
  );
}

interface DeleteDocumentProps {
  readonly document: GenDocument | undefined;
  readonly onClose: () => void;
}

function DeleteDocument({ document, onClose }: DeleteDocumentProps) {
  const texts = useTexts("generation");
  const api = useApi();
  const { documentsChanged } = useGenerationChanges();
  const remove = async () => {
    if (document === undefined) return;
    await api.send("DELETE", documentPath(document.id));
    void documentsChanged();
  };
  return (
    <ConfirmDialog
      title={texts.deleteTitle}
      text={texts.deleteText(document?.output.fileName ?? "")}
      action={texts.remove}
      isOpen={document !== undefined}
      onConfirm={remove}
      onClose={onClose}
    />
  );
}
