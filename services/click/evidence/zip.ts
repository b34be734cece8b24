import { promisify } from "node:util";
import { crc32, deflateRaw } from "node:zlib";
import { Zip, type ZipInputFile } from "fflate";
import { zipTime } from "#platform/zip-time.ts";

/** A file of an archive. */
export interface ArchivedFile {
  readonly name: string;
  readonly bytes: Buffer;
}

const deflateInThread = promisify<Buffer, Buffer>(deflateRaw);

/**
 * A ZIP archive of these files, in their order. The same files and time give the same bytes. Compression, which would hold
 * up the event loop for tens of milliseconds, is done by threads.
 */
export async function zipFiles(files: readonly ArchivedFile[], modifiedAt: Date): Promise<Buffer> {
  const compressed = await Promise.all(files.map(({ bytes }) => deflateInThread(bytes)));
  const chunks: Uint8Array[] = [];
  const archive = new Zip((error, chunk) => {
    if (error) throw error;
    chunks.push(chunk);
  });
  for (const [index, { name, bytes }] of files.entries()) {
    const file: ZipInputFile = {
      filename: name,
      size: bytes.length,
      crc: crc32(bytes),
      compression: deflated,
      mtime: zipTime(modifiedAt),
    };
    archive.add(file);
    file.ondata?.(null, compressed[index] as Uint8Array<ArrayBuffer>, true);
  }
  archive.end();
  return Buffer.concat(chunks);
}

/** The number of the method in the format (APPNOTE 4.4.5). */
const deflated = 8;
