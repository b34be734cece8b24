import { type ChangeEvent, useId, useMemo, useState } from "react";
import type { Batch } from "#api/generation-documents.ts";
import type { ListedGenTemplate as ListedTemplate } from "#api/generation-templates.ts";
import { wrongInput } from "../../api/errors.ts";
import { useSendOnce } from "../../api/send-once.ts";
import { Link, useNavigate, useSearch } from "../../app/router.tsx";
import { useSession } from "../../app/session.tsx";
import { type Texts, useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, ErrorState, Loading } from "../../ui/states.tsx";
import type { Column } from "../../ui/table.tsx";
import { Select, TextField } from "../../ui/text-field.tsx";
import { Time } from "../../ui/time.tsx";
import {
  type BatchInput,
  type DataField,
  fieldsOf,
  type InputProblem,
  maxRows,
  readBatchInput,
} from "./batch-input.ts";
import { BatchState, GenerationTabs, RowPages, StatusFilter, statusIn } from "./parts.tsx";
import {
  batchStatuses,
  useBatches,
  useGenerationChanges,
  useTemplate,
  useTemplateChoice,
  useTemplateSchema,
} from "./queries.ts";

export function BatchesPage() {
  const texts = useTexts("generation");
  const mayChange = useSession().can("gen:write");
  const search = useSearch();
  const state = statusIn(search, "state", batchStatuses);
  const templateId = search.get("new") ?? "";
  const list = useBatches({ state });
  const navigate = useNavigate();
  const [isCreating, setIsCreating] = useState(templateId !== "");
  const close = () => {
    setIsCreating(false);
    if (templateId !== "") navigate("/generation/batches", { replace: true });
  };
  const create = mayChange && (
    <Button kind="primary" onPress={() => setIsCreating(true)}>
      {texts.createBatch}
    </Button>
  );
  const columns: Column<Batch>[] = [
    {
      id: "batch",
      title: texts.batch,
      cell: ({ id, counts }) => <Link to={`/generation/batches/${id}`}>{texts.documentCount(counts.total)}</Link>,
    },
    { id: "state", title: texts.state, cell: ({ status }) => <BatchState status={status} /> },
    { id: "outcome", title: texts.outcome, cell: ({ counts }) => texts.outcomeOf(counts) },
    { id: "created", title: texts.created, cell: ({ createdAt }) => <Time value={createdAt} /> },
    {
      id: "completed",
      title: texts.ended,
      cell: ({ completedAt }) => (completedAt ? <Time value={completedAt} /> : "–"),
    },
  ];
  return (
    <Page title={texts.batches} intro={texts.batchesIntro} actions={create}>
      <GenerationTabs current="batches" />
      <StatusFilter label={texts.state} name="state" words={texts.batchStates} statuses={batchStatuses} />
      <RowPages
        list={list}
        label={texts.batches}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          state === undefined ? (
            <EmptyState
              title={texts.noBatches}
              text={mayChange ? texts.noBatchesText : texts.noBatchesForYou}
              action={create}
            />
          ) : (
            <EmptyState title={texts.noneMatch} text={texts.noneMatchText} />
          )
        }
      />
      {mayChange && <CreateBatchDialog templateId={templateId} isOpen={isCreating} onClose={close} />}
    </Page>
  );
}

interface CreateBatchDialogProps {
  /** The template that is chosen at first; empty for none. */
  readonly templateId: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function CreateBatchDialog({ templateId, isOpen, onClose }: CreateBatchDialogProps) {
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

function wordsOf(problem: InputProblem, texts: Texts["generation"]): string {
  switch (problem.kind) {
    case "empty":
      return texts.rowsEmpty;
    case "no_list":
      return texts.rowsNoList;
    case "bad_json":
      return texts.rowsBadJson;
    case "too_many":
      return texts.rowsTooMany(problem.count, maxRows);
    case "bad_quotes":
      return texts.rowsBadQuotes(problem.line);
    case "wrong_cells":
      return texts.rowsWrongCells(problem.line);
    case "bad_item":
      return texts.rowsBadItem(problem.index + 1);
  }
}

interface ExampleRowProps {
  readonly templateId: string;
  /** What is there so far; nothing of it is written over. */
  readonly rows: string;
  readonly onText: (text: string) => void;
}

/** Nobody has to guess what rows look like: the sample data of the template is one. */
function ExampleRow({ templateId, rows, onText }: ExampleRowProps) {
  const texts = useTexts("generation");
  const { data: template } = useTemplate(templateId);
  const sample = template?.sampleData;
  if (!sample) return null;
  const text = JSON.stringify([{ ref: "row-1", data: sample }], null, 2);
  // The button stays after it was pressed: keyboard users would lose their place.
  if (rows.trim() !== "" && rows !== text) return null;
  return (
    <div>
      <Button onPress={() => onText(text)}>{texts.useSample}</Button>
    </div>
  );
}
