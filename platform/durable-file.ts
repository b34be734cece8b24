import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, statSync } from "node:fs";
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

const sticky = 0o1000;
const ofGroup = 0o2000;

/**
 * Makes a folder that only this user may enter, with those above it. One that is there and belongs to this user is closed
 * to others too, but for two kinds: a folder that passes its group on is shared with that group on purpose, and one where
 * everybody has files of their own (/tmp) is not ours.
 */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { mode, uid } = statSync(folder);
  if (uid !== process.getuid?.() || (mode & sticky) !== 0) return;
  const allowed = (mode & ofGroup) === 0 ? 0o7700 : 0o7770;
  if ((mode & 0o7777 & ~allowed) !== 0) chmodSync(folder, mode & allowed);
}
