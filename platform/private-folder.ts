import { chmodSync, mkdirSync, statSync } from "node:fs";

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
