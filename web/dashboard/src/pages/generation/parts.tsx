import type { Batch, GenDocument } from "#api/generation-documents.ts";
import type { ListedGenTemplate as ListedTemplate } from "#api/generation-templates.ts";
import "./generation.css";
import type { ReactNode } from "react";
import { useNavigate, usePath, useSearch } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { LinkTabs } from "../../ui/page.tsx";
import { MoreRows, type PagedList } from "../../ui/pager.tsx";
import { ErrorState, Loading } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Select } from "../../ui/text-field.tsx";

const paths = {
  templates: "/generation",
  documents: "/generation/documents",
  batches: "/generation/batches",
  usage: "/generation/usage",
} as const;

const names = ["templates", "documents", "batches", "usage"] as const;

/** Leads from one page of document generation to the next. */
export function GenerationTabs({ current }: { readonly current: keyof typeof paths }) {
  const texts = useTexts("generation");
  const tabs = names.map((name) => ({ to: paths[name], text: texts[name], isCurrent: name === current }));
  return <LinkTabs label={texts.tabs} tabs={tabs} />;
}

/** What a list that is loaded page by page tells of itself. */
interface Pages<Row> extends PagedList {
  readonly data:
    | { readonly pages: readonly { readonly items: readonly Row[]; readonly next?: string | undefined }[] }
    | undefined;
  refetch(): Promise<unknown>;
}

interface RowPagesProps<Row> {
  readonly list: Pages<Row>;
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
  readonly empty: ReactNode;
}

/** A table with what has been loaded, and the way to more. */
export function RowPages<Row>({ list, label, columns, rowKey, empty }: RowPagesProps<Row>) {
  if (list.data === undefined) {
    return list.error ? <ErrorState error={list.error} retry={() => void list.refetch()} /> : <Loading />;
  }
  const { pages } = list.data;
  return (
    <>
      <Table label={label} columns={columns} rows={pages.flatMap(({ items }) => items)} rowKey={rowKey} empty={empty} />
      <MoreRows list={list} />
    </>
  );
}

const documentTones = {
  queued: "info",
  rendering: "info",
  completed: "success",
  failed: "danger",
  expired: "info",
  cancelled: "warning",
} as const;
const batchTones = {
  queued: "info",
  running: "info",
  completed: "success",
  completed_with_errors: "warning",
  cancelled: "warning",
} as const;

export function DocumentState({ status }: { readonly status: GenDocument["status"] }) {
  const { documentStates } = useTexts("generation");
  return <Badge tone={documentTones[status]}>{documentStates[status]}</Badge>;
}

export function BatchState({ status }: { readonly status: Batch["status"] }) {
  const { batchStates } = useTexts("generation");
  return <Badge tone={batchTones[status]}>{batchStates[status]}</Badge>;
}

export function TemplateState({ template }: { readonly template: ListedTemplate }) {
  const texts = useTexts("generation");
  const { publishedVersion, hasChanges } = template;
  if (publishedVersion === null) return <Badge>{texts.draft}</Badge>;
  return (
    <span className="gen-badges">
      <Badge tone="success">{texts.publishedAs(publishedVersion)}</Badge>
      {hasChanges && <Badge tone="warning">{texts.changedSince}</Badge>}
    </span>
  );
}

interface StatusFilterProps<Name extends string> {
  readonly label: string;
  /** Of the parameter in the address of the page, so that what is shown can be sent to somebody. */
  readonly name: string;
  readonly words: Readonly<Record<Name, string>>;
  readonly statuses: readonly Name[];
}

export function StatusFilter<Name extends string>({ label, name, words, statuses }: StatusFilterProps<Name>) {
  const { anyState } = useTexts("generation");
  const search = useSearch();
  const path = usePath();
  const navigate = useNavigate();
  const show = (status: string) => {
    const wanted = new URLSearchParams(search);
    if (status === anything) wanted.delete(name);
    else wanted.set(name, status);
    navigate(wanted.size === 0 ? path : `${path}?${wanted}`, { replace: true });
  };
  return (
    <div className="gen-filters">
      <Select
        label={label}
        options={[{ id: anything, label: anyState }, ...statuses.map((id) => ({ id, label: words[id] }))]}
        value={statusIn(search, name, statuses) ?? anything}
        onChange={(key) => show(String(key))}
      />
    </div>
  );
}

/** Undefined for all, and for what is none of them. */
export const statusIn = <Name extends string>(
  search: URLSearchParams,
  name: string,
  statuses: readonly Name[],
): Name | undefined => statuses.find((status) => status === search.get(name));

const anything = "*";
