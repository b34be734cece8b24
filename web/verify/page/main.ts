import { missingSupport } from "../src/ed25519.ts";
import { isObject, type Json, type JsonObject, parseJson } from "../src/json.ts";
import { at } from "../src/read.ts";
import { verifyBundle } from "../src/verify-bundle.ts";
import { byId, say } from "./element.ts";
import { showResult } from "./result.ts";

interface Keys {
  readonly name: string;
  readonly json: JsonObject;
}

let bundle: ReadFile | undefined;
let keys: Keys | undefined;
/** Only the last verification is shown, however long others take. */
let round = 0;

const bundleInput = byId<HTMLInputElement>("bundle");
const keysInput = byId<HTMLInputElement>("keys");
const fetchButton = byId<HTMLButtonElement>("fetch-keys");
// A saved copy of the page has no server from which it could fetch the keys.
const isServed = location.protocol.startsWith("http");

void start();

async function start(): Promise<void> {
  const reason = await missingSupport();
  if (reason !== undefined) {
    say(byId("problem"), reason);
    byId("inputs").hidden = true;
    return;
  }
  bundleInput.addEventListener("change", () => void take(bundleInput, (file) => setBundle(file)));
  keysInput.addEventListener("change", () => void take(keysInput, (file) => setKeyFile(file)));
  fetchButton.addEventListener("click", () => void fetchKeys());
  document.addEventListener("dragover", allowDrop);
  document.addEventListener("dragleave", () => document.body.classList.remove("dropping"));
  document.addEventListener("drop", (event) => void drop(event));
}

function allowDrop(event: DragEvent): void {
  event.preventDefault();
  document.body.classList.add("dropping");
}

/** Of several files those with keys come first, so that the bundle is verified once. */
async function drop(event: DragEvent): Promise<void> {
  event.preventDefault();
  document.body.classList.remove("dropping");
  await attempt(async () => {
    const files = await Promise.all(Array.from(event.dataTransfer?.files ?? [], readFile));
    for (const file of files.filter(isKeyFile)) setKeyFile(file);
    for (const file of files.filter((one) => !isKeyFile(one))) setBundle(file);
    await verify();
  });
}

async function take(input: HTMLInputElement, use: (file: ReadFile) => void): Promise<void> {
  const [file] = input.files ?? [];
  if (file === undefined) return;
  await attempt(async () => {
    use(await readFile(file));
    await verify();
  });
  // Otherwise choosing the same file again, after it has changed, would be no change.
  input.value = "";
}

/** Shows any error on the page. */
async function attempt(work: () => Promise<void>): Promise<void> {
  say(byId("problem"), "");
  try {
    await work();
  } catch (error) {
    say(byId("problem"), error instanceof Error ? error.message : String(error));
  }
}

function setBundle(file: ReadFile): void {
  if (isKeyFile(file)) throw new Error(`${file.name} is a key file, not a bundle.`);
  bundle = file;
  say(byId("bundle-name"), file.name);
  fetchButton.hidden = !isServed || organizationOf(file) === undefined;
}

function setKeyFile(file: ReadFile): void {
  if (!isKeyFile(file) || !isObject(file.json)) throw new Error(`${file.name} is not a key file.`);
  setKeys({ name: file.name, json: file.json });
}

function setKeys(chosen: Keys): void {
  keys = chosen;
  say(byId("keys-name"), chosen.name);
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function organizationOf({ json }: ReadFile): string | undefined {
  const id: Json = at(json, "organizationId");
  return typeof id === "string" && uuid.test(id) ? id : undefined;
}

async function fetchKeys(): Promise<void> {
  const organization = bundle && organizationOf(bundle);
  if (organization === undefined) return;
  await attempt(async () => {
    const json = await loadKeys(`.well-known/click-keys.json?log=${organization}`);
    setKeys({ name: `The keys of ${location.host}`, json });
    await verify();
  });
}

async function loadKeys(url: string): Promise<JsonObject> {
  const response = await fetch(url, { credentials: "omit" }).catch(() => undefined);
  const json = response?.ok === true ? jsonOf(await response.text()) : null;
  if (!isObject(json))
    throw new Error(`${location.host} could not be asked for its keys. Try again, or choose a key file.`);
  return json;
}

async function verify(): Promise<void> {
  if (bundle === undefined) return;
  round += 1;
  const own = round;
  const { text, json } = bundle;
  const result = await verifyBundle(text, keys === undefined ? {} : { keys: keys.json });
  if (own === round) showResult(json, result);
}

/** A file that was chosen or dropped. */
export interface ReadFile {
  readonly name: string;
  readonly text: string;
  /** What it says; null when it is no JSON. */
  readonly json: Json;
}

/** Throws, with words for the person, when it cannot be what the page is for. */
async function readFile(file: File): Promise<ReadFile> {
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

function jsonOf(text: string): Json {
  try {
    return parseJson(text, "the file");
  } catch {
    return null;
  }
}

/** A key file has lists of keys, and lacks the member `integrity` that every bundle has. */
const isKeyFile = ({ json }: ReadFile): boolean =>
  isObject(json) &&
  at(json, "integrity") === null &&
  (Array.isArray(at(json, "keys")) || Array.isArray(at(json, "logKeys")));
