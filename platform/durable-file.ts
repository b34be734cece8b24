import { randomUUID } from "node:crypto";
import { open, rename } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Writes a file whole or not at all, in the place of what had its name. It outlives a power failure once this resolves.
 * Rejects with what the file system says.
 */
export async function writeDurably(file: string, content: string | Uint8Array): Promise<void> {
  const draft = join(dirname(file), `${randomUUID()}.draft`);
  await flushed(draft, "wx", (handle) => handle.writeFile(content));
  await rename(draft, file);
  await flushFolder(dirname(file));
}

/** The names in a folder outlive a power failure once this resolves. */
export const flushFolder = (folder: string): Promise<void> => flushed(folder, "r", async () => {});

async function flushed(
  path: string,
  flags: string,
  write: (handle: Awaited<ReturnType<typeof open>>) => Promise<void>,
): Promise<void> {
  const handle = await open(path, flags, 0o600);
  try {
    await write(handle);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** For a folder that nobody has made yet, or one that went while it was looked into. */
export function noneIfMissing(error: NodeJS.ErrnoException): never[] {
  if (error.code !== "ENOENT") throw error;
  return [];
}
