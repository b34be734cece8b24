import "./agreements.css";
import { useId } from "react";
import type { Attachment } from "#api/agreement-records.ts";
import type { Agreement, AgreementDocument } from "#api/agreements.ts";
import { useNavigate, useSearch } from "../../app/router.tsx";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { DownloadButton } from "../../ui/download-button.tsx";
import { Section } from "../../ui/page.tsx";
import { PdfPages } from "../../ui/pdf/pdf-pages.tsx";
import { EmptyState, ErrorState } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Select } from "../../ui/text-field.tsx";
import { Time } from "../../ui/time.tsx";
import { agreementPath, useAttachments } from "./queries.ts";
import { recipientsOf } from "./types.ts";

export function DocumentsTab({ agreement }: { readonly agreement: Agreement }) {
  const texts = useTexts("agreements");
  if (agreement.documents.length === 0) return <EmptyState title={texts.noDocuments} text={texts.noDocumentsText} />;
  return (
    <>
      <Downloads agreement={agreement} />
      <Attachments agreement={agreement} />
      <Shown agreement={agreement} />
    </>
  );
}

function Downloads({ agreement: { id, status, emailSubject } }: { readonly agreement: Agreement }) {
  const texts = useTexts("agreements");
  const path = agreementPath(id);
  const name = emailSubject ?? id;
  return (
    <Section title={texts.downloads} intro={texts.downloadsIntro}>
      <div className="form-buttons">
        <DownloadButton path={`${path}/combined`} fileName={`${name}.pdf`}>
          {texts.downloadCombined}
        </DownloadButton>
        {status !== "created" && (
          <>
            <DownloadButton path={`${path}/combined?certificate=true`} fileName={`${name}.pdf`}>
              {texts.downloadAll}
            </DownloadButton>
            <DownloadButton path={`${path}/certificate`} fileName={`${texts.downloadCertificate}.pdf`}>
              {texts.downloadCertificate}
            </DownloadButton>
          </>
        )}
      </div>
    </Section>
  );
}

/** One document at a time; which one is in the address of the page. */
function Shown({ agreement: { id, status, documents } }: { readonly agreement: Agreement }) {
  const texts = useTexts("agreements");
  const search = useSearch();
  const navigate = useNavigate();
  const wanted = search.get("document");
  const shown = documents.find(({ documentId }) => documentId === wanted) ?? documents[0];
  const show = (documentId: string) =>
    navigate(`/agreements/${id}?${new URLSearchParams({ tab: "documents", document: documentId })}`, { replace: true });
  if (shown === undefined) return null;
  const path = `${agreementPath(id)}/documents/${encodeURIComponent(shown.documentId)}/content`;
  return (
    <Section title={shown.name} intro={<Extent document={shown} />}>
      <div className="agreement-document">
        {documents.length > 1 && (
          <Select
            label={texts.document}
            options={documents.map(({ documentId, name }) => ({ id: documentId, label: name }))}
            value={shown.documentId}
            onChange={(key) => show(String(key))}
          />
        )}
        <DownloadButton path={path} fileName={nameWith(shown.name, "pdf")}>
          {texts.download}
        </DownloadButton>
        {shown.originalFormat !== null && (
          <DownloadButton path={`${path}?original=true`} fileName={nameWith(shown.name, shown.originalFormat)}>
            {texts.downloadOriginal(shown.originalFormat)}
          </DownloadButton>
        )}
      </div>
      {/* The sealed document is another one. */}
      <PdfPages key={`${shown.documentId} ${status === "completed"}`} source={path} label={shown.name} />
    </Section>
  );
}

const nameWith = (name: string, format: string): string =>
  name.toLowerCase().endsWith(`.${format}`) ? name : `${name}.${format}`;

function Extent({ document: { pages, bytes } }: { readonly document: AgreementDocument }) {
  const texts = useTexts("agreements");
  return `${texts.pages(pages)} · ${useSize()(bytes)}`;
}

function Attachments({ agreement }: { readonly agreement: Agreement }) {
  const texts = useTexts("agreements");
  const { data: attachments = [], error, refetch } = useAttachments(agreement);
  const columns = useColumns(agreement);
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  if (attachments.length === 0) return null;
  return (
    <Section title={texts.attachments} intro={texts.attachmentsIntro}>
      <Table label={texts.attachments} columns={columns} rows={attachments} rowKey={({ id }) => id} empty={null} />
    </Section>
  );
}

function useColumns(agreement: Agreement): readonly Column<Attachment>[] {
  const texts = useTexts("agreements");
  const size = useSize();
  const prefix = useId();
  const nameOf = (wanted: string): string =>
    recipientsOf(agreement).find(({ recipientId }) => recipientId === wanted)?.name ?? wanted;
  return [
    { id: "file", title: texts.file, cell: ({ id, fileName }) => <span id={`${prefix}${id}`}>{fileName}</span> },
    { id: "by", title: texts.attachedBy, cell: ({ recipientId }) => nameOf(recipientId) },
    { id: "at", title: texts.attachedAt, cell: ({ createdAt }) => <Time value={createdAt} /> },
    { id: "size", title: texts.size, cell: ({ bytes }) => size(bytes) },
    {
      id: "download",
      title: "",
      align: "end",
      cell: ({ id, fileName }) => (
        <DownloadButton
          path={`${agreementPath(agreement.id)}/attachments/${id}/content`}
          fileName={fileName}
          describedBy={`${prefix}${id}`}
        >
          {texts.download}
        </DownloadButton>
      ),
    },
  ];
}

const units = ["byte", "kilobyte", "megabyte"] as const;

/** Says how large a file is. */
function useSize(): (bytes: number) => string {
  const { locale } = useLanguage();
  return (bytes) => {
    const step = bytes < 1_000 ? 0 : bytes < 1_000_000 ? 1 : 2;
    const format = { style: "unit", unit: units[step] ?? "byte", maximumFractionDigits: step === 2 ? 1 : 0 } as const;
    return new Intl.NumberFormat(locale, format).format(bytes / 1_000 ** step);
  };
}
