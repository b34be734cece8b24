import { crc32 } from "node:zlib";
import { Zip, type ZipInputFile } from "fflate";
import { zipTime } from "#platform/zip-time.ts";

/** A file of an archive that is made while it is sent. */
export interface StreamedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Without the ZIP64 extension, offsets have 32 bits; this leaves room for the directory. */
export const maxArchiveBytes = 4_000_000_000;

/** Bytes of a file's own beside its content: its head, its data descriptor and its entry in the directory. */
export const archiveOverhead = ({ name }: Pick<StreamedFile, "name">): number => 120 + 2 * Buffer.byteLength(name);

/**
 * A ZIP archive of these files, in order, as a stream of chunks. Each file is read when the chunks before it
 * have been taken. Files are stored uncompressed, because PDFs are compressed already.
 */
export async function* zipStream(files: AsyncIterable<StreamedFile>, modifiedAt: Date): AsyncGenerator<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const archive = new Zip((error, piece) => {
    if (error) throw error;
    pieces.push(piece);
  });
  for await (const { name, bytes } of files) {
    const file: ZipInputFile = {
      filename: name,
      size: bytes.length,
      crc: crc32(bytes),
      compression: 0,
      mtime: zipTime(modifiedAt),
    };
    archive.add(file);
    file.ondata?.(null, bytes as Uint8Array<ArrayBuffer>, true);
    yield* pieces.splice(0);
  }
  archive.end();
  yield* pieces.splice(0);
}
