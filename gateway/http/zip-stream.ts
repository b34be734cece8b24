import { crc32 } from "node:zlib";
import { Zip, type ZipInputFile } from "fflate";
import { zipTime } from "#platform/zip-time.ts";

/** A file of an archive that is made while it is sent: as a whole, or piece by piece. */
export type StreamedFile = WholeFile | FileInPieces;
interface WholeFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}
interface FileInPieces {
  readonly name: string;
  readonly size: number;
  readonly crc32: number;
  readonly pieces: AsyncIterable<Uint8Array>;
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
  for await (const one of files) {
    const isWhole = "bytes" in one;
    const file: ZipInputFile = {
      filename: one.name,
      size: isWhole ? one.bytes.length : one.size,
      crc: isWhole ? crc32(one.bytes) : one.crc32,
      compression: 0,
      mtime: zipTime(modifiedAt),
    };
    archive.add(file);
    for await (const bytes of isWhole ? [one.bytes] : one.pieces) {
      file.ondata?.(null, bytes as Uint8Array<ArrayBuffer>, false);
      yield* pieces.splice(0);
    }
    file.ondata?.(null, new Uint8Array(0), true);
    yield* pieces.splice(0);
  }
  archive.end();
  yield* pieces.splice(0);
}
