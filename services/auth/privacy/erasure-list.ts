import { access, readdir, readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import { makePrivateFolder, noneIfMissing, writeDurably } from "#platform/durable-file.ts";
import { decrypt, encrypt, type KeyRing } from "#platform/secrets.ts";
import type { SoughtPerson } from "./person.ts";

/** An erasure as it must be done again when the database has forgotten it. */
export interface ListedErasure extends SoughtPerson {
  readonly id: string;
  readonly organizationId: string;
  readonly ground: string;
  readonly askedBy: string;
  readonly requestId: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

/**
 * Erasures, kept apart from the database: a backup from before one brings back what it erased. A folder with a file for
 * each, whose name has the day and the id, and whose content is sealed: it says of whom it is.
 */
export interface ErasureList {
  /** The erasure is on the disk when it resolves. Those that are there stay as they are. */
  add(erasure: ListedErasure): Promise<void>;
  read(): Promise<{ readonly erasures: readonly ListedErasure[]; readonly unreadable: number }>;
  /** Forgets those of earlier days; how many they were. */
  removeBefore(time: Date): Promise<number>;
}

export function createErasureList(folder: string, kek: KeyRing): ErasureList {
  const find = async () =>
    (await readdir(folder).catch(noneIfMissing)).flatMap((name) => {
      const [, day = "", id = ""] = fileName.exec(name) ?? [];
      return id === "" ? [] : [{ file: join(folder, name), day, id }];
    });
  return {
    async add(erasure) {
      const file = join(folder, `${dayOf(new Date(erasure.createdAt))}.${erasure.id}.sealed`);
      if (await exists(file)) return;
      makePrivateFolder(folder);
      await writeDurably(file, encrypt(kek[0], JSON.stringify(erasure), contextOf(erasure.id)));
    },

    async read() {
      const erasures: ListedErasure[] = [];
      let unreadable = 0;
      for (const { file, id } of await find()) {
        try {
          erasures.push(JSON.parse(decrypt(kek, await readFile(file), contextOf(id))));
        } catch {
          unreadable += 1;
        }
      }
      return { erasures, unreadable };
    },

    async removeBefore(time) {
      const old = (await find()).filter(({ day }) => day < dayOf(time));
      for (const { file } of old) await unlink(file).catch(noneIfMissing);
      return old.length;
    },
  };
}

const fileName = /^(\d{4}-\d\d-\d\d)\.([0-9a-f-]{36})\.sealed$/;
const dayOf = (time: Date): string => time.toISOString().slice(0, 10);
const contextOf = (id: string): string => `erasure list ${id}`;

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
