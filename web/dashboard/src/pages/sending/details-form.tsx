import "./sending.css";
import { useQuery } from "@tanstack/react-query";
import { type DragEvent, type ReactNode, useRef, useState } from "react";
import { FileTrigger } from "react-aria-components";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Button, Icon } from "../../ui/button.tsx";
import { Form } from "../../ui/form.tsx";
import { Section } from "../../ui/page.tsx";
import { Notice } from "../../ui/states.tsx";
import { Select, TextField } from "../../ui/text-field.tsx";
import { useLeaveGuard } from "../../ui/use-leave-guard.tsx";
import { BrandSelect } from "../brands/brand-select.tsx";
import { type Details, type DetailsDocument, extensions, formFillerOf, formFillers, problemOf } from "./details.ts";
import { formFieldsIn } from "./queries.ts";
import { RecipientRows } from "./recipient-rows.tsx";
import type { RecipientInput } from "./types.ts";
import type { SavingDetails } from "./use-save-details.ts";

interface DetailsFormProps {
  readonly details: Details;
  readonly onChange: (details: Details) => void;
  /** Whether the documents that are there already come from a template, and stay. */
  readonly isFromTemplate?: boolean;
  readonly saving: SavingDetails;
  readonly submit: string;
  /** Below the button. */
  readonly after?: ReactNode;
}

/** What is sent to whom, and with which words. */
export function DetailsForm({ details, onChange, isFromTemplate = false, saving, submit, after }: DetailsFormProps) {
  const texts = useTexts("sending");
  const { documents, recipients, subject, message, brandId } = details;
  const saved = useRef(details);
  useLeaveGuard(details !== saved.current, () => onChange(saved.current));
  const save = async () => {
    await saving.save(details);
    saved.current = details;
  };
  return (
    <div className="sending-form">
      <Form asksBeforeLeaving={false} submit={submit} onSubmit={save}>
        <Section title={texts.documents} intro={texts.documentsIntro}>
          <DocumentList
            documents={documents}
            recipients={recipients}
            progress={saving.progress}
            isFromTemplate={isFromTemplate}
            onChange={(changed) => onChange({ ...details, documents: changed })}
          />
        </Section>
        <Section title={texts.recipients} intro={texts.recipientsIntro}>
          <RecipientRows
            recipients={recipients}
            onChange={(changed) => onChange({ ...details, recipients: changed })}
          />
        </Section>
        <Section title={texts.mail} intro={texts.mailIntro}>
          <TextField
            name="emailSubject"
            label={texts.subject}
            value={subject}
            onChange={(changed) => onChange({ ...details, subject: changed })}
            isRequired
            maxLength={100}
          />
          <TextField
            name="emailBlurb"
            label={texts.message}
            value={message}
            onChange={(changed) => onChange({ ...details, message: changed })}
            rows={4}
            maxLength={10_000}
          />
          <BrandSelect value={brandId} onChange={(chosen) => onChange({ ...details, brandId: chosen })} />
        </Section>
      </Form>
      {after}
    </div>
  );
}

interface DocumentListProps {
  readonly documents: readonly DetailsDocument[];
  readonly recipients: readonly RecipientInput[];
  readonly isFromTemplate: boolean;
  /** Of documents that are being sent, by their keys, from 0 to 1. */
  readonly progress: ReadonlyMap<string, number>;
  readonly onChange: (documents: readonly DetailsDocument[]) => void;
}

/** Files are chosen, or dropped onto it. */
function DocumentList({ documents, recipients, isFromTemplate, progress, onChange }: DocumentListProps) {
  const texts = useTexts("sending");
  const [problems, setProblems] = useState<readonly string[]>([]);
  // What is there when the files have been looked at, which may be more than when they were chosen.
  const now = useRef({ documents, onChange });
  now.current = { documents, onChange };
  const add = async (files: readonly File[]) => {
    const checked = await Promise.all(files.map(async (file) => ({ file, problem: await problemOf(file) })));
    setProblems(
      checked.flatMap(({ file, problem }) => (problem === undefined ? [] : [texts.fileProblems[problem](file.name)])),
    );
    const good = checked.filter(({ problem }) => problem === undefined);
    now.current.onChange([
      ...now.current.documents,
      ...good.map(({ file }) => ({ key: crypto.randomUUID(), name: file.name, bytes: file.size, file })),
    ]);
  };
  return (
    <>
      {documents.length > 0 && (
        <ul className="sending-documents" aria-label={texts.documents}>
          {documents.map((document) => (
            <DocumentRow
              key={document.key}
              document={document}
              recipients={recipients}
              onChange={(changed) => onChange(documents.map((one) => (one === document ? changed : one)))}
              progress={progress.get(document.key)}
              {...(isFromTemplate && document.file === undefined
                ? {}
                : { onRemove: () => onChange(documents.filter(({ key }) => key !== document.key)) })}
            />
          ))}
        </ul>
      )}
      <DropArea onFiles={(files) => void add(files)} />
      {problems.length > 0 && (
        <Notice tone="danger">
          {problems.map((problem) => (
            <p key={problem}>{problem}</p>
          ))}
        </Notice>
      )}
    </>
  );
}

function DropArea({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const texts = useTexts("sending");
  const [isOver, setIsOver] = useState(false);
  const allow = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(true);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    onFiles([...event.dataTransfer.files]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button within does the same for those who do not drag
    <div
      className="sending-drop"
      data-over={isOver || undefined}
      onDragOver={allow}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <Icon name="template" />
      <p>{texts.dropHere}</p>
      <FileTrigger
        allowsMultiple
        acceptedFileTypes={[...extensions]}
        onSelect={(files) => files && onFiles([...files])}
      >
        <Button>{texts.chooseFiles}</Button>
      </FileTrigger>
      <small>{texts.fileRules}</small>
    </div>
  );
}

interface DocumentRowProps extends FormFieldsProps {
  readonly progress: number | undefined;
  readonly onRemove?: () => void;
}

function DocumentRow({ document, recipients, onChange, progress, onRemove }: DocumentRowProps) {
  const { name, bytes, pages, file } = document;
  const texts = useTexts("sending");
  const size = useSize();
  return (
    <li>
      <span className="sending-document-name">{name}</span>
      <span className="sending-quiet">
        {pages === undefined ? size(bytes) : `${texts.pageCount(pages)} · ${size(bytes)}`}
        {file === undefined && onRemove === undefined && ` · ${texts.ofTemplate}`}
      </span>
      {progress !== undefined && <progress aria-label={texts.uploading(name)} max={1} value={progress} />}
      {onRemove !== undefined && progress === undefined && (
        <Button kind="quiet" icon="close" aria-label={texts.removeDocument(name)} onPress={onRemove} />
      )}
      {file !== undefined && <FormFields document={document} recipients={recipients} onChange={onChange} />}
    </li>
  );
}

interface FormFieldsProps {
  readonly document: DetailsDocument;
  readonly recipients: readonly RecipientInput[];
  readonly onChange: (document: DetailsDocument) => void;
}

/** The option of what stays on the page. No recipientId is empty. */
const drawn = "";

/** Asks who fills in the form fields of a file, once it is known that it has any. */
function FormFields({ document, recipients, onChange }: FormFieldsProps) {
  const texts = useTexts("sending");
  const { data: count = 0 } = useQuery(formFieldsIn(document));
  if (count === 0) return null;
  const fillers = formFillers(recipients).map((recipient) => {
    const { recipientId, name } = recipient;
    const known = name?.trim() || texts.recipient(recipients.indexOf(recipient) + 1);
    return { id: recipientId, label: texts.filledInBy(known) };
  });
  return (
    <div className="sending-form-fields">
      <Select
        label={texts.formFields(count)}
        options={[...fillers, { id: drawn, label: texts.drawnOnPage }]}
        selectedKey={formFillerOf(document, recipients)?.recipientId ?? drawn}
        onSelectionChange={(chosen) =>
          onChange({ ...document, formFieldsOf: chosen === null || chosen === drawn ? null : String(chosen) })
        }
      />
    </div>
  );
}

/** Such as "1.3 MB". */
function useSize(): (bytes: number) => string {
  const { locale } = useLanguage();
  const format = (value: number, unit: string) =>
    new Intl.NumberFormat(locale, { style: "unit", unit, maximumFractionDigits: 1 }).format(value);
  return (bytes) =>
    bytes < 1_000_000 ? format(Math.ceil(bytes / 1_000), "kilobyte") : format(bytes / 1_000_000, "megabyte");
}
