/**
 * What a program takes for the beginning of a formula: typed text, or an address that is read when the file is opened. Where
 * a comma is the decimal sign, spreadsheets end a cell at a semicolon, also at one in quotes.
 */
const runs = /(?<=^|[;\t\r\n])[=+\-@＝＋－＠]|^[\t\r\n]/g;

/** A value in quotes (RFC 4180), and never one that a spreadsheet would run: an apostrophe stands before what would be. */
const csvCell = (value: string): string => `"${value.replace(runs, "'$&").replaceAll('"', '""')}"`;

/** A line of a table, with its end. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(",")}\r\n`;

/** Begins a table: spreadsheets take a file without this mark for one of another encoding. */
export const csvMark = "\uFEFF";
