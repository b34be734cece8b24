import { isObject, type Json, parseJson } from "../src/json.ts";
import { at } from "../src/read.ts";

/** A file that was chosen or dropped. */
export interface ReadFile {
  readonly name: string;
  readonly text: string;
  /** What it says; null when it is no JSON. */
  readonly json: Json;
}

/** Throws, with words for the person, when it cannot be what the page is for. */
export async function readFile(file: File): Promise<ReadFile> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  // The archive of a bundle starts like every ZIP archive.
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) {
    throw new Error(`${file.name} is a ZIP archive. Unpack it and choose the bundle.json in it.`);
  }
  const text = decode(bytes);
  return { name: file.name, text, json: jsonOf(text) };
}

/** Bytes that are no UTF-8 are no text, and as such no bundle. */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return "";
  }
}

export function jsonOf(text: string): Json {
  try {
    return parseJson(text, "the file");
  } catch {
    return null;
  }
}

/** Key files have keys where bundles have everything else. */
export const isKeyFile = ({ json }: ReadFile): boolean =>
  isObject(json) &&
  at(json, "integrity") === null &&
  (Array.isArray(at(json, "keys")) || Array.isArray(at(json, "logKeys")));
