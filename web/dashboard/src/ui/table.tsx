import type { ReactNode } from "react";
import "./table.css";

export interface Column<Row> {
  readonly id: string;
  /** Empty for a column of buttons. */
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** The column that names the row; the first one otherwise. */
  readonly isRowHeader?: boolean;
  readonly align?: "end";
}

interface TableProps<Row> {
  /** What the rows are, for those who do not see them. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** In the place of a table without rows. */
  readonly empty: ReactNode;
}

/** Rows and columns; on a phone each row is a card. */
export function Table<Row>({ label, columns, rows, rowKey, empty }: TableProps<Row>) {
  if (rows.length === 0) return empty;
  const headerId = (columns.find(({ isRowHeader }) => isRowHeader) ?? columns[0])?.id;
  return (
    <div className="table-frame">
      <table className="table" aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ id, title, align }) =>
              title === "" ? (
                <td key={id} />
              ) : (
                <th key={id} scope="col" data-align={align}>
                  {title}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map((column) => (
                <Cell key={column.id} column={column} row={row} isHeader={column.id === headerId} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface CellProps<Row> {
  readonly column: Column<Row>;
  readonly row: Row;
  readonly isHeader: boolean;
}

function Cell<Row>({ column: { title, cell, align }, row, isHeader }: CellProps<Row>) {
  return isHeader ? (
    <th scope="row" data-align={align}>
      {cell(row)}
    </th>
  ) : (
    <td data-title={title} data-align={align}>
      {cell(row)}
    </td>
  );
}
