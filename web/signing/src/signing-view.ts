import type { Ceremony } from "#api/ceremony.ts";
import type { TabToFill as Tab } from "#api/tabs.ts";
import type { Adoption } from "./adopt-dialog.ts";
import { ApiError, api, type FieldProblem } from "./api.ts";
import { type Autosave, createAutosave, watchOtherTabs } from "./autosave.ts";
import { failureOf, leaveTo, showExpired } from "./closing-view.ts";
import { type DocumentsView, showDocuments } from "./documents-view.ts";
import { button, element, show, whileBusy } from "./dom.ts";
import { createControl, type FieldControl } from "./field-control.ts";
import { createFields, type Fields, sign } from "./fields.ts";
import { fill, plural, type SpokenLanguage } from "./languages.ts";
import { createMenu } from "./menu.ts";
import { proveBeforeFinish } from "./proof-view.ts";
import type { Texts } from "./texts/texts.ts";

/** Documents with the fields of the person, and what can be done with them. */
export function showSigning(
  ceremony: Ceremony,
  language: SpokenLanguage,
  declineWith: (autosave: Autosave) => void,
): void {
  const { agreement, recipient } = ceremony;
  if (agreement === null || recipient === null) return;
  const { texts } = language;
  const title = element("h1", { tabindex: "-1", dir: "auto" }, agreement.emailSubject);
  const documents = showDocuments(agreement.documents, texts);
  const fields = createFields(
    ceremony.canAct ? recipient.tabs : [],
    agreement.documents.map(({ documentId }) => documentId),
    ceremony.progress,
  );
  const saving = element("p", { class: "small saving" });
  const reload = (): void => location.reload();
  // A page that is loaded again after its time would only find that out again.
  const end = (error: ApiError): void => (error.isExpired ? showExpired(texts, ceremony.timeoutUrl) : reload());
  const autosave = createAutosave({
    fields,
    onState: (state) => {
      saving.textContent = { saved: texts.saved, saving: texts.saving, failed: texts.notSaved }[state];
    },
    onEnd: end,
  });
  const decline = () => declineWith(autosave);
  const adopt = async (tab: Tab): Promise<void> => {
    const known = tab.type === "signature" ? fields.signature : fields.initials;
    if (known === null || fields.isDone(tab)) {
      const adoption = await askForSignature(recipient.name, texts, bar.problems);
      if (adoption === undefined) return;
      fields.signature = adoption.signature;
      fields.initials = adoption.initials;
      autosave.adopted();
    }
    sign(fields, tab);
    controls.find((control) => control.tab === tab)?.focus();
  };
  const preview = previewOf(ceremony);
  const controls = fields.tabs.map((tab) =>
    createControl(tab, {
      fields,
      texts,
      decline,
      adopt: (signed) => void adopt(signed),
      finish: () => bar.finish(),
      preview,
    }),
  );
  layOut(controls, documents);
  const bar = actionBar({ ceremony, language, fields, controls, decline, autosave, documents });
  fields.onEdit = (changed) => autosave.changed(changed.map(({ tabId }) => tabId));
  fields.onChange = (changed) => {
    for (const control of controls) {
      control.update();
      // An error is no longer shown once the person changes the field.
      if (changed.includes(control.tab)) control.showProblem(undefined);
    }
    if (document.querySelector(".field.wrong") === null) bar.problems.replaceChildren();
    bar.update();
  };
  fields.onChange([]);
  if (ceremony.canAct) {
    const update = (now: Ceremony): void => {
      const saved = now.canAct ? now.recipient : null;
      if (saved === null) {
        reload();
        return;
      }
      fields.signature = now.progress.signature ?? fields.signature;
      fields.initials = now.progress.initials ?? fields.initials;
      fields.restore(saved.tabs);
    };
    watchOtherTabs(autosave, update, end);
  }
  const sender = fill(texts.from, { sender: agreement.organizationName || agreement.senderName });
  const legend = fields.required().total > 0 ? element("p", { class: "small" }, texts.requiredMark) : null;
  show(
    element("header", { class: "top" }, title, element("p", { class: "small" }, sender), legend, saving),
    element(
      "main",
      {},
      bar.problems,
      ceremony.canAct ? null : element("p", { class: "notice" }, texts.viewOnly),
      documents.root,
    ),
    bar.root,
  );
  title.focus();
  for (const { tab, parts } of controls) {
    for (const { node } of parts) node.addEventListener("focusin", () => autosave.at(tab.tabId));
  }
  bar.goTo(ceremony.progress.place);
  // Whether it comes is found out when somebody signs.
  if (ceremony.canAct) loadAdoption().catch(() => undefined);
}

/** What the service fills in when the person finishes, as far as it is known already. */
function previewOf({ agreement, recipient }: Ceremony): (type: string) => string {
  const name = recipient?.name ?? "";
  const words = name.trim().split(" ");
  const last = words.at(-1) ?? "";
  const previews = new Map([
    ["full-name", name],
    ["first-name", words.length < 2 ? last : words.slice(0, -1).join(" ")],
    ["last-name", last],
    ["email", recipient?.email ?? ""],
    ["agreement-id", agreement?.id ?? ""],
  ]);
  return (type) => previews.get(type) ?? "";
}

function layOut(controls: readonly FieldControl[], { pages, zoomTo }: DocumentsView): void {
  for (const { tab, parts } of controls) {
    for (const { node, page: number, box } of parts) {
      const page = pages.find((one) => one.documentId === tab.documentId && one.number === number);
      if (page === undefined) continue;
      node.style.left = `${(100 * box.x) / page.width}%`;
      node.style.top = `${(100 * box.y) / page.height}%`;
      node.style.width = `${(100 * box.width) / page.width}%`;
      node.style.height = `${(100 * box.height) / page.height}%`;
      node.style.setProperty("--height", String((100 * box.height) / page.width));
      // What is said of the field stays on the page.
      node.classList.toggle("at-end", box.x > page.width / 2);
      node.classList.toggle("at-bottom", box.y > page.height * 0.85);
      page.fields.append(node);
      node.addEventListener("focusin", ({ target }) => {
        // A button that moves under the finger would not be pressed.
        if (target instanceof HTMLInputElement && !clicked.has(target.type)) zoomTo(node);
        if (target instanceof HTMLTextAreaElement) zoomTo(node);
      });
    }
  }
}

const clicked = new Set(["checkbox", "radio", "file"]);

interface BarContext {
  readonly ceremony: Ceremony;
  readonly language: SpokenLanguage;
  readonly fields: Fields;
  readonly controls: readonly FieldControl[];
  readonly decline: () => void;
  readonly autosave: Autosave;
  readonly documents: DocumentsView;
}

/** One line: everything else, how far the person is, and the next step. */
function actionBar(context: BarContext) {
  const { ceremony, language, fields, controls, autosave, documents } = context;
  const { texts } = language;
  const status = element("p", { class: "progress", role: "status" });
  const gauge = element("progress", { max: 1, value: 0, "aria-label": texts.progressLabel });
  const problems = element("div", { class: "problems", role: "alert", tabindex: "-1" });
  let at = ceremony.progress.place;
  const goTo = (tabId: string): void => {
    const control = controls.find(({ tab }) => tab.tabId === tabId);
    const [part] = control?.parts ?? [];
    if (control === undefined || part === undefined || part.node.hidden) return;
    at = tabId;
    documents.zoomTo(part.node);
    control.focus();
    update();
  };
  const finish = () => whileBusy(step, () => finishSigning(context, problems));
  const leave = (heading: string, text: string) =>
    guarded(context, problems, async () => {
      const isSaved = await autosave.hold();
      if (ceremony.canAct && !isSaved) throw new Error("not everything is saved");
      const { returnUrl } = await api.leave();
      leaveTo(returnUrl, heading, text);
    });
  const step = button(texts.start, () => {
    if (!ceremony.canAct) return void whileBusy(step, () => leave(texts.finishedHeading, texts.closedText));
    const next = fields.nextAfter(at);
    if (next === undefined) void finish();
    else goTo(next.tabId);
  });
  const menu = createMenu({
    ceremony,
    language,
    finishLater: ceremony.canAct ? () => void leave(texts.leftHeading, texts.leftText) : null,
    decline: context.decline,
    beforeReload: () => autosave.flush(),
  });
  const progress = element("div", { class: "advance" }, gauge, status);
  const update = (): void => {
    const { done, total } = fields.required();
    const isReady = done === total;
    status.textContent = isReady ? texts.allDone : fill(plural(texts.progress, language, total), { done, total });
    gauge.max = Math.max(1, total);
    gauge.value = total === 0 ? 1 : done;
    progress.hidden = !ceremony.canAct;
    const isBegun = done > 0 || at !== "";
    step.textContent = !ceremony.canAct ? texts.close : isReady ? texts.finish : isBegun ? texts.next : texts.start;
    step.classList.toggle("primary", isReady || !ceremony.canAct);
    step.classList.toggle("step", !isReady);
  };
  return {
    problems,
    goTo,
    finish: () => void finish(),
    root: element("footer", { class: "bar" }, ...menu, progress, step),
    update,
  };
}

async function finishSigning(context: BarContext, problems: HTMLElement): Promise<void> {
  const { fields, controls, autosave } = context;
  const missing = fields.nextAfter(undefined);
  if (missing !== undefined) {
    showProblems(context, problems, [{ field: missing.tabId, code: "REQUIRED" }]);
    return;
  }
  for (const control of controls) control.showProblem(undefined);
  problems.replaceChildren();
  if (!(await hasSigned(context, problems))) return;
  await guarded(context, problems, async () => {
    await autosave.hold();
    const { ceremony, language } = context;
    if (ceremony.verification.length > 0 && !(await proveBeforeFinish(ceremony, language.texts))) {
      autosave.resume();
      return;
    }
    const { returnUrl } = await api.finish({
      values: fields.values(),
      signature: fields.signature,
      initials: fields.initials,
    });
    // The page says what has become of the agreement, as it does to those who come back.
    if (returnUrl === null) location.reload();
    else location.assign(returnUrl);
  });
}

/** Signers need a signature even without a field for it. */
async function hasSigned(
  { ceremony: { recipient }, fields, language, autosave }: BarContext,
  problems: HTMLElement,
): Promise<boolean> {
  if (recipient === null || !signingRoles.has(recipient.role) || fields.signature !== null) return true;
  const adoption = await askForSignature(recipient.name, language.texts, problems);
  if (adoption === undefined) return false;
  fields.signature = adoption.signature;
  fields.initials = adoption.initials;
  autosave.adopted();
  return true;
}

const signingRoles = new Set(["signer", "in-person-signer"]);

/** It comes while the person reads. */
const loadAdoption = () => import("./adopt-dialog.ts");

async function askForSignature(name: string, texts: Texts, problems: HTMLElement): Promise<Adoption | undefined> {
  try {
    return await (await loadAdoption()).askForSignature(name, texts);
  } catch (error) {
    problems.replaceChildren(failureOf(error, texts));
    return undefined;
  }
}

/** Shows any error on the page, so that what was filled in is kept. */
async function guarded(context: BarContext, problems: HTMLElement, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { language, ceremony, autosave } = context;
    autosave.resume();
    if (error instanceof ApiError && error.isExpired) showExpired(language.texts, ceremony.timeoutUrl);
    else if (error instanceof ApiError && error.details.length > 0) showProblems(context, problems, error.details);
    else problems.replaceChildren(failureOf(error, language.texts));
  }
}

function showProblems(
  { controls, language: { texts } }: BarContext,
  root: HTMLElement,
  problems: readonly Pick<FieldProblem, "field" | "code">[],
): void {
  for (const control of controls) {
    const problem = problems.find(({ field }) => field === control.tab.tabId);
    const own = control.tab.validationMessage;
    const said =
      problem?.code === "REQUIRED" ? texts.fieldMissing : `${texts.fieldWrong} ${texts.hints[control.tab.type] ?? ""}`;
    control.showProblem(problem && (own === "" ? said : own));
  }
  root.replaceChildren(element("p", { class: "problem" }, texts.errorsHeading));
  controls.find(({ tab }) => problems.some(({ field }) => field === tab.tabId))?.focus();
}
