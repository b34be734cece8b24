import { type ChangeEvent, useId, useMemo, useState } from "react";
import { useSendOnce } from "../../api/send-once.ts";
import { wrongInput } from "../../api/wrong-input.ts";
import { useNavigate } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Form } from "../../ui/form.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { type BatchInput, readBatchInput } from "./batch-input.ts";
import { wordsOf } from "./batch-problems.ts";
import { type DataField, fieldsOf } from "./data-schema.ts";
import { ExampleRow } from "./example-row.tsx";
import { useGenerationChanges, useTemplateChoice, useTemplateSchema } from "./queries.ts";
import type { Batch, ListedTemplate } from "./types.ts";

interface CreateBatchDialogProps {
  /** The template that is chosen at first; empty for none. */
  readonly templateId: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function CreateBatchDialog({ templateId, isOpen, onClose }: CreateBatchDialogProps) {
  const texts = useTexts("generation");
  const choice = useTemplateChoice();
  return (
    <Dialog title={texts.createBatchTitle} isOpen={isOpen} onClose={onClose}>
      {choice.data === undefined &&
        (choice.error ? <ErrorState error={choice.error} retry={() => void choice.refetch()} /> : <Loading />)}
      {choice.data?.length === 0 && <EmptyState title={texts.noVersions} text={texts.noVersionsText} />}
      {choice.data !== undefined && choice.data.length > 0 && (
        <BatchForm templates={choice.data} first={templateId} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface BatchFormProps {
  readonly templates: readonly ListedTemplate[];
  readonly first: string;
  readonly onClose: () => void;
}

function BatchForm({ templates, first, onClose }: BatchFormProps) {
  const texts = useTexts("generation");
  const sendOnce = useSendOnce();
  const navigate = useNavigate();
  const { batchIs } = useGenerationChanges();
  const [templateId, setTemplateId] = useState(
    templates.some(({ id }) => id === first) ? first : (templates[0]?.id ?? ""),
  );
  const [rows, setRows] = useState("");
  const { data: schema } = useTemplateSchema(templateId, undefined);
  const fields = useMemo(() => fieldsOf(schema), [schema]);
  const input = useMemo(() => readBatchInput(rows, fields), [rows, fields]);
  const send = async () => {
    if ("problem" in input) throw wrongInput(wordsOf(input.problem, texts));
    const batch = await sendOnce<Batch>("/v1/gen/batches", { templateId, items: input.rows });
    await batchIs(batch);
    navigate(`/generation/batches/${batch.id}`);
  };
  return (
    <Form submit={texts.createBatch} onSubmit={send} onCancel={onClose}>
      <Select
        label={texts.template}
        options={templates.map(({ id, name, publishedVersion }) => ({
          id,
          label: name,
          hint: texts.versionNumber(publishedVersion ?? 0),
        }))}
        value={templateId}
        onChange={(key) => setTemplateId(String(key))}
      />
      <TextField label={texts.rows} hint={texts.rowsHelp} rows={9} value={rows} onChange={setRows} isRequired />
      <ExampleRow templateId={templateId} rows={rows} onText={setRows} />
      <FromFile onText={setRows} />
      <Columns fields={fields} />
      <Count input={input} isEmpty={rows.trim() === ""} />
      <p className="gen-aside">{texts.batchCost}</p>
    </Form>
  );
}

/** What the API takes at the most. */
const mostBytes = 16_000_000;

function FromFile({ onText }: { readonly onText: (text: string) => void }) {
  const texts = useTexts("generation");
  const id = useId();
  const [problem, setProblem] = useState("");
  const read = async (event: ChangeEvent<HTMLInputElement>) => {
    const [file] = event.currentTarget.files ?? [];
    if (file === undefined) return;
    const isTooLarge = file.size > mostBytes;
    setProblem(isTooLarge ? texts.fileTooLarge : "");
    if (!isTooLarge) onText(await file.text());
  };
  return (
    <div className="field">
      <label htmlFor={id}>{texts.fromFile}</label>
      <input
        id={id}
        type="file"
        accept=".csv,.json,.txt,text/csv,application/json"
        onChange={(event) => void read(event)}
      />
      {problem !== "" && (
        <p className="field-error" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

/** The first line that a table for this template has. */
function Columns({ fields }: { readonly fields: readonly DataField[] }) {
  const texts = useTexts("generation");
  const columns = fields.filter(({ path }) => !path.includes("[]")).map(({ path }) => path);
  const hasLists = fields.some(({ path }) => path.includes("[]"));
  return (
    <div className="gen-aside">
      {columns.length > 0 && (
        <p>
          {texts.columns} <code className="gen-code">{["ref", ...columns].join(",")}</code>
        </p>
      )}
      {hasLists && <p>{texts.listsNeedJson}</p>}
    </div>
  );
}

function Count({ input, isEmpty }: { readonly input: BatchInput; readonly isEmpty: boolean }) {
  const texts = useTexts("generation");
  if (isEmpty) return null;
  return (
    <p role="status" className={"problem" in input ? "field-error" : undefined}>
      {"problem" in input ? wordsOf(input.problem, texts) : texts.documentsAhead(input.rows.length)}
    </p>
  );
}
