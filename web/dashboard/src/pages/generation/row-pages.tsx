import type { ReactNode } from "react";
import { ErrorState } from "../../ui/error-state.tsx";
import { Loading } from "../../ui/loading.tsx";
import { MoreRows, type PagedList } from "../../ui/more-rows.tsx";
import { type Column, Table } from "../../ui/table.tsx";

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
