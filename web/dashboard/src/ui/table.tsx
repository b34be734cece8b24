import { memo, type ReactNode } from "react";
import "./table.css";

export interface Column<Row> {
  readonly id: string;
  /** Empty for a column of buttons. */
  readonly title: string;
  readonly cell: (row: Row, isChosen: boolean) => ReactNode;
  /** The column that names the row; the first one otherwise. */
  readonly isRowHeader?: boolean;
  readonly align?: "end";
  /** Few words that are not broken, or words that need room beside columns with long ones. */
  readonly width?: "short" | "broad";
}

interface TableProps<Row> {
  /** What the rows are, for those who do not see them. */
  readonly label: string;
  /** While these are the same, rows that are there already are not made again: keep them with useMemo for long lists. */
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** Nothing is chosen without. */
  readonly isChosen?: (row: Row) => boolean;
  /** In the place of a table without rows. */
  readonly empty: ReactNode;
}

/** Rows and columns; on a phone each row is a card. */
export function Table<Row>({ label, columns, rows, rowKey, isChosen, empty }: TableProps<Row>) {
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
            <Line
              key={rowKey(row)}
              columns={columns as readonly Column<unknown>[]}
              row={row}
              isChosen={isChosen?.(row) ?? false}
              headerId={headerId}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface LineProps {
  readonly columns: readonly Column<unknown>[];
  readonly row: unknown;
  readonly isChosen: boolean;
  readonly headerId: string | undefined;
}

const Line = memo(function Line({ columns, row, isChosen, headerId }: LineProps) {
  return (
    <tr>
      {columns.map((column) => (
        <Cell key={column.id} column={column} row={row} isChosen={isChosen} isHeader={column.id === headerId} />
      ))}
    </tr>
  );
});

interface CellProps {
  readonly column: Column<unknown>;
  readonly row: unknown;
  readonly isChosen: boolean;
  readonly isHeader: boolean;
}

function Cell({ column: { title, cell, align, width }, row, isChosen, isHeader }: CellProps) {
  return isHeader ? (
    <th scope="row" data-align={align} data-width={width}>
      {cell(row, isChosen)}
    </th>
  ) : (
    <td data-title={title} data-align={align} data-width={width}>
      {cell(row, isChosen)}
    </td>
  );
}
