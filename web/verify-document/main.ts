import { directionOf } from "#platform/language.ts";
import { byId, say } from "../verify/page/element.ts";
import { checkFile } from "./check-file.ts";
import { showResult } from "./result.ts";
import { chooseTexts } from "./texts.ts";

const { language, texts } = chooseTexts(navigator.languages);
/** More than any file has that was sealed here. */
const maxBytes = 64 * 1024 * 1024;
/** Only the last file is told of, however long another takes. */
let round = 0;

const input = byId<HTMLInputElement>("file");

start();

function start(): void {
  document.documentElement.lang = language;
  document.documentElement.dir = directionOf(language);
  document.title = texts.title;
  for (const id of ["title", "intro", "hint", "choose", "certificates"] as const) byId(id).textContent = texts[id];
  if (!window.isSecureContext) {
    say(byId("problem"), texts.insecure);
    byId("input").hidden = true;
    return;
  }
  input.addEventListener("change", () => {
    void check(input.files?.[0]);
    // Otherwise choosing the same file again, after it has changed, would be no change.
    input.value = "";
  });
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  document.addEventListener("dragleave", () => document.body.classList.remove("dropping"));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    void check(event.dataTransfer?.files[0]);
  });
}

async function check(file: File | undefined): Promise<void> {
  if (file === undefined) return;
  round += 1;
  const own = round;
  const result = byId("result");
  result.hidden = true;
  say(byId("problem"), file.size > maxBytes ? texts.tooLarge : "");
  say(byId("name"), file.size > maxBytes ? "" : `${file.name}: ${texts.busy}`);
  if (file.size > maxBytes) return;
  try {
    const found = await checkFile(new Uint8Array(await file.arrayBuffer()));
    if (own === round) showResult(result, found, texts, language);
  } catch {
    if (own === round) say(byId("problem"), texts.away);
  }
  if (own === round) say(byId("name"), file.name);
}
