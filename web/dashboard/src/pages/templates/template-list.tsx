import { useMemo, useState } from "react";
import type { Template } from "#api/templates.ts";
import { Link } from "../../app/router.tsx";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx";
import { Checkbox, Form, type FormValues } from "../../ui/form.tsx";
import { MoreRows } from "../../ui/pager.tsx";
import { EmptyState, ErrorState, Loading } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { RelativeTime, Time } from "../../ui/time.tsx";
import { type BulkResult, BulkResultNotice } from "./bulk-result.tsx";
import { type TemplateFilter, useTemplateChanges, useTemplates } from "./queries.ts";
import { TemplateState } from "./state-badges.tsx";
import { useBulkChanges } from "./use-bulk-changes.ts";
import { useReadAtPublication } from "./versions/schedule.tsx";

const pageSize = 25;

export function TemplateList({ filter }: { readonly filter: TemplateFilter }) {
  const texts = useTexts("templates");
  const mayChangeMany = useSession().can("click:admin");
  const list = useTemplates(filter, pageSize);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const columns = useColumns(mayChangeMany ? setChosen : undefined);
  const rows = list.data?.pages.flatMap(({ items }) => items) ?? [];
  useReadAtPublication(
    rows.map(({ nextPublicationAt }) => nextPublicationAt),
    useTemplateChanges().listChanged,
  );
  if (list.data === undefined) {
    return list.error ? <ErrorState error={list.error} retry={() => void list.refetch()} /> : <Loading />;
  }
  return (
    <>
      {mayChangeMany && rows.length > 0 && (
        <BulkBar
          shown={rows}
          selected={rows.filter(({ id }) => chosen.has(id))}
          onSelect={(templates) => setChosen(new Set(templates.map(({ id }) => id)))}
        />
      )}
      <Table
        label={texts.title}
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        isChosen={({ id }) => chosen.has(id)}
        empty={<Nothing isNarrowed={Boolean(filter.search || filter.status)} />}
      />
      <MoreRows list={list} />
    </>
  );
}

type Chosen = ReadonlySet<string>;

function useColumns(setChosen: ((change: (chosen: Chosen) => Chosen) => void) | undefined): Column<Template>[] {
  const texts = useTexts("templates");
  return useMemo(() => {
    const select = (choose: NonNullable<typeof setChosen>): Column<Template> => ({
      id: "select",
      title: "",
      cell: ({ id, name }, isChosen) => (
        <Checkbox
          aria-label={texts.select(name)}
          isSelected={isChosen}
          onChange={(isOn) => choose((chosen) => withChoice(chosen, id, isOn))}
        />
      ),
    });
    return [
      ...(setChosen === undefined ? [] : [select(setChosen)]),
      {
        id: "name",
        title: texts.name,
        isRowHeader: true,
        cell: (template) => <TemplateName template={template} />,
        width: "broad",
      },
      { id: "type", title: texts.type, cell: ({ type }) => texts.types[type], width: "short" },
      { id: "status", title: texts.status, cell: ({ status }) => <TemplateState status={status} /> },
      {
        id: "published",
        title: texts.published,
        cell: (template) => (
          <>
            <PublishedVersions template={template} />
            <NextPublication at={template.nextPublicationAt} />
          </>
        ),
        width: "short",
      },
      {
        id: "active",
        title: texts.activeDeployments,
        cell: ({ activeDeploymentCount }) => activeDeploymentCount,
        align: "end",
      },
      { id: "updated", title: texts.updated, cell: ({ updatedAt }) => <RelativeTime value={updatedAt} /> },
    ];
  }, [texts, setChosen]);
}

function withChoice(chosen: Chosen, id: string, isOn: boolean): Chosen {
  const others = [...chosen].filter((one) => one !== id);
  return new Set(isOn ? [...others, id] : others);
}

function TemplateName({ template: { id, name, slug } }: { readonly template: Template }) {
  return (
    <>
      <Link to={`/templates/${id}`}>{name}</Link>
      <div className="template-aside">
        <code>{slug}</code>
      </div>
    </>
  );
}

/** The first few languages with their labels. */
function PublishedVersions({ template: { currentVersions } }: { readonly template: Template }) {
  const texts = useTexts("templates");
  const all = Object.entries(currentVersions);
  if (all.length === 0) return <span className="template-aside">{texts.nothingPublished}</span>;
  const shown = all.slice(0, 3).map(([locale, { label }]) => `${locale} ${label}`);
  const rest = all.length - shown.length;
  const parts = [...shown, ...(rest > 0 ? [texts.andMore(rest)] : [])];
  return (
    <>
      {parts.map((part, n) => (
        <div key={part}>
          {part}
          {n < parts.length - 1 && <span className="unseen">, </span>}
        </div>
      ))}
    </>
  );
}

function NextPublication({ at }: { readonly at: string | null }) {
  const texts = useTexts("templates");
  if (at === null) return null;
  return (
    <div className="template-aside">
      <Badge tone="warning">{texts.scheduled}</Badge> <Time value={at} />
    </div>
  );
}

function Nothing({ isNarrowed }: { readonly isNarrowed: boolean }) {
  const texts = useTexts("templates");
  const mayWrite = useSession().can("click:write");
  if (isNarrowed) return <EmptyState title={texts.noneMatch} text={texts.noneMatchText} />;
  return <EmptyState title={texts.emptyTitle} text={mayWrite ? texts.emptyText : texts.emptyReadOnly} />;
}

interface BulkBarProps {
  readonly shown: readonly Template[];
  readonly selected: readonly Template[];
  readonly onSelect: (templates: readonly Template[]) => void;
}

/** What is done with many templates at once. */
function BulkBar({ shown, selected, onSelect }: BulkBarProps) {
  const texts = useTexts("templates");
  const [asked, setAsked] = useState<"archive" | "duplicate">();
  const [result, setResult] = useState<BulkResult>();
  const close = () => setAsked(undefined);
  const done = (answer: BulkResult) => {
    setResult(answer);
    onSelect([]);
  };
  const isAll = selected.length === shown.length;
  return (
    <>
      <div className="bulk-bar">
        <Checkbox
          isSelected={isAll}
          isIndeterminate={!isAll && selected.length > 0}
          onChange={(isOn) => onSelect(isOn ? shown : [])}
        >
          {texts.selectAll}
        </Checkbox>
        <span role="status">{selected.length > 0 && texts.selected(selected.length)}</span>
        {selected.length > 0 && (
          <div className="bulk-buttons">
            <Button onPress={() => setAsked("duplicate")}>{texts.duplicate}</Button>
            <Button onPress={() => setAsked("archive")}>{texts.archive}</Button>
          </div>
        )}
      </div>
      {result !== undefined && <BulkResultNotice result={result} />}
      <ArchiveDialog selected={selected} isOpen={asked === "archive"} onClose={close} onDone={done} />
      <DuplicateDialog selected={selected} isOpen={asked === "duplicate"} onClose={close} onDone={done} />
    </>
  );
}

interface BulkDialogProps {
  readonly selected: readonly Template[];
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onDone: (result: BulkResult) => void;
}

function ArchiveDialog({ selected, isOpen, onClose, onDone }: BulkDialogProps) {
  const texts = useTexts("templates");
  const { archive } = useBulkChanges();
  return (
    <ConfirmDialog
      title={texts.bulkArchiveTitle(selected.length)}
      text={
        <>
          <p>{texts.bulkArchiveText}</p>
          <Names templates={selected} />
        </>
      }
      action={texts.archive}
      isOpen={isOpen}
      onConfirm={async () => onDone(await archive(selected))}
      onClose={onClose}
    />
  );
}

function DuplicateDialog({ selected, isOpen, onClose, onDone }: BulkDialogProps) {
  const texts = useTexts("templates");
  const { duplicate } = useBulkChanges();
  const send = async (values: FormValues) => {
    const result = await duplicate(selected, values.text("namePattern").trim());
    onClose();
    onDone(result);
  };
  return (
    <Dialog title={texts.bulkDuplicateTitle(selected.length)} isOpen={isOpen} onClose={onClose}>
      <p>{texts.bulkDuplicateText}</p>
      <Names templates={selected} />
      <Form submit={texts.duplicate} onSubmit={send} onCancel={onClose}>
        <TextField
          name="namePattern"
          label={texts.namePattern}
          hint={texts.namePatternHelp}
          defaultValue={texts.namePatternDefault}
          isRequired
          maxLength={255}
        />
      </Form>
    </Dialog>
  );
}

const namesShown = 8;

function Names({ templates }: { readonly templates: readonly Template[] }) {
  const texts = useTexts("templates");
  const rest = templates.length - namesShown;
  return (
    <ul className="bulk-names">
      {templates.slice(0, namesShown).map(({ id, name }) => (
        <li key={id}>{name}</li>
      ))}
      {rest > 0 && <li>{texts.andMore(rest)}</li>}
    </ul>
  );
}
