import { DomainError } from "./errors.ts";

/** A file of an export. Nothing personal stands in its path, which is the same each time. */
export interface FileToExport {
  readonly path: string;
  /** What people call it; it may name them. */
  readonly title: string;
  read(): Promise<Uint8Array>;
}

/** Something with files of its own, such as an agreement; ids are in the order of the export. */
export interface ExportItem {
  readonly id: string;
  readonly files: readonly FileToExport[];
}

interface ExportPage {
  readonly files: { readonly path: string; readonly title: string; readonly content: Uint8Array }[];
  readonly nextCursor: string;
}

/** How much one answer has at least, unless there is no more. It ends with the file that makes it full. */
const pageBytes = 2 * 1024 * 1024;
const pageMs = 2_000;

/**
 * The files after a cursor, item by item. `next` answers the first item after that of this id. An item that is gone when the
 * export comes back to it is left as far as it was; files that were erased or are damaged are left out.
 */
export async function exportPage(
  cursor: string,
  next: (after: string) => Promise<ExportItem | undefined>,
): Promise<ExportPage> {
  const startedAt = performance.now();
  const page: ExportPage["files"] = [];
  let bytes = 0;
  let { after, id, done } = placeOf(cursor);
  for (let item = await next(after); item !== undefined; item = await next(after)) {
    done = item.id === id ? done : 0;
    id = item.id;
    for (const { path, title, read } of item.files.slice(done)) {
      if (bytes >= pageBytes || performance.now() - startedAt > pageMs) {
        return { files: page, nextCursor: [after, id, done].join("|") };
      }
      const content = await readIfThere(read);
      done += 1;
      if (content === undefined) continue;
      page.push({ path, title, content });
      bytes += content.length;
    }
    after = item.id;
  }
  return { files: page, nextCursor: "" };
}

function placeOf(cursor: string) {
  const [after = "", id = "", done = "0"] = cursor.split("|");
  return { after, id, done: Number(done) };
}

async function readIfThere(read: FileToExport["read"]): Promise<Uint8Array | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DomainError && lost.has(error.code)) return undefined;
    throw error;
  }
}

const lost: ReadonlySet<string> = new Set(["DOCUMENT_ERASED", "DOCUMENT_DAMAGED"]);

/** JSON for people and programs. */
export const jsonFile = (path: string, title: string, read: () => unknown): FileToExport => ({
  path,
  title,
  read: async () => Buffer.from(`${JSON.stringify(await read(), null, 2)}\n`),
});

/** The JSON Schema (2020-12) that describes the files of a kind. */
export const schemaFile = (name: string, title: string, schema: object): FileToExport =>
  jsonFile(`schema/${name}.schema.json`, title, () => ({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title,
    ...schema,
  }));
