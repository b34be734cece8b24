import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";

export interface SmallDisk {
  /** Belongs to the user whom the server of the database runs as. */
  readonly folder: string;
  fill(): void;
  free(): void;
  remove(): void;
}

/** A disk of 16 MB in memory; undefined for who may not mount one. */
export async function mountSmallDisk(inspector: pg.Pool): Promise<SmallDisk | undefined> {
  const mount = mkdtempSync(join(tmpdir(), "assent-disk-"));
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=16m", "tmpfs", mount]);
  const remove = () => {
    if (status === 0) spawnSync("umount", ["-l", mount]);
    rmSync(mount, { recursive: true, force: true });
  };
  if (status !== 0) {
    remove();
    return undefined;
  }
  const { rows } = await inspector.query<{ folder: string }>("select current_setting('data_directory') as folder");
  const { uid, gid } = statSync(rows[0]?.folder ?? "");
  chmodSync(mount, 0o755);
  const [folder, filler] = [join(mount, "tables"), join(mount, "filler")];
  mkdirSync(folder);
  chownSync(folder, uid, gid);
  return {
    folder,
    remove,
    fill: () => {
      const { bavail, bsize } = statfsSync(mount);
      writeFileSync(filler, Buffer.alloc(bavail * bsize));
    },
    free: () => rmSync(filler),
  };
}
