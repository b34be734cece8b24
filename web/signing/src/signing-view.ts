import type { Ceremony } from "#api/ceremony.ts";
import type { TabToFill as Tab } from "#api/tabs.ts";
import { askForSignature } from "./adopt-dialog.ts";
import { ApiError, api } from "./api.ts";
import { type Autosave, createAutosave, watchOtherTabs } from "./autosave.ts";
import { leaveTo, showExpired } from "./closing-view.ts";
import { showDocuments } from "./documents-view.ts";
import { button, element, show, whileBusy } from "./dom.ts";
import { createControl, type FieldControl } from "./field-control.ts";
import { createFields, type Fields, sign } from "./fields.ts";
import { fill } from "./languages.ts";
import type { Texts } from "./texts/texts.ts";

/** Documents with the fields of the person, and what can be done with them. */
export function showSigning(ceremony: Ceremony, texts: Texts, decline: () => void): void {
  const { agreement, recipient } = ceremony;
  if (agreement === null || recipient === null) return;
  const title = element("h1", { tabindex: "-1" }, agreement.emailSubject);
  const documents = showDocuments(agreement.documents, texts);
  const fields = createFields(
    ceremony.canAct ? recipient.tabs : [],
    agreement.documents.map(({ documentId }) => documentId),
    ceremony.progress,
  );
  const saving = element("p", { class: "small saving" });
  const reload = (): void => location.reload();
  const autosave = createAutosave({
    fields,
    onState: (state) => {
      saving.textContent = { saved: texts.saved, saving: texts.saving, failed: texts.notSaved }[state];
    },
    onEnd: reload,
  });
  const adopt = async (tab: Tab): Promise<void> => {
    const known = tab.type === "signature" ? fields.signature : fields.initials;
    if (known === null || fields.isDone(tab)) {
      const adoption = await askForSignature(recipient.name, texts);
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
  layOut(controls, documents.pages);
  const bar = actionBar({ ceremony, texts, fields, controls, decline, autosave });
  fields.onEdit = (changed) => autosave.changed(changed.map(({ tabId }) => tabId));
  if (ceremony.canAct) {
    watchOtherTabs((now) => {
      if (!now.canAct || now.recipient === null) return reload();
      fields.signature = now.progress.signature ?? fields.signature;
      fields.initials = now.progress.initials ?? fields.initials;
      fields.restore(now.recipient.tabs, autosave.isUnsaved);
    }, reload);
  }
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
  show(
    element(
      "header",
      { class: "top" },
      element(
        "div",
        {},
        title,
        element(
          "p",
          { class: "small" },
          fill(texts.from, { sender: agreement.organizationName || agreement.senderName }),
        ),
        saving,
      ),
    ),
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
  const place = controls.find(({ tab }) => tab.tabId === ceremony.progress.place);
  for (const { tab, parts } of controls) {
    for (const { node } of parts) node.addEventListener("focusin", () => autosave.at(tab.tabId));
  }
  place?.focus();
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

function layOut(controls: readonly FieldControl[], pages: ReturnType<typeof showDocuments>["pages"]): void {
  for (const { tab, parts } of controls) {
    for (const { node, page: number, box } of parts) {
      const page = pages.find((one) => one.documentId === tab.documentId && one.number === number);
      if (page === undefined) continue;
      node.style.insetInlineStart = "auto";
      node.style.left = `${(100 * box.x) / page.width}%`;
      node.style.top = `${(100 * box.y) / page.height}%`;
      node.style.width = `${(100 * box.width) / page.width}%`;
      node.style.height = `${(100 * box.height) / page.height}%`;
      page.fields.append(node);
    }
  }
}

interface BarContext {
  readonly ceremony: Ceremony;
  readonly texts: Texts;
  readonly fields: Fields;
  readonly controls: readonly FieldControl[];
  readonly decline: () => void;
  readonly autosave: Autosave;
}

function actionBar(context: BarContext) {
  const { ceremony, texts, fields, controls } = context;
  const progress = element("p", { class: "progress", role: "status" });
  const problems = element("div", { class: "problems", role: "alert", tabindex: "-1" });
  let at: string | undefined;
  const next = button(texts.next, () => {
    const tab = fields.nextAfter(at);
    at = tab?.tabId;
    controls.find((control) => control.tab === tab)?.focus();
  });
  const finish = button(texts.finish, () => void whileBusy(finish, () => finishSigning(context, problems)), "primary");
  const later = button(
    texts.finishLater,
    () =>
      void whileBusy(later, () =>
        guarded(context, problems, async () => {
          await context.autosave.flush();
          const { returnUrl } = await api.leave();
          context.autosave.stop();
          leaveTo(returnUrl, texts.leftHeading, texts.leftText);
        }),
      ),
  );
  const close = button(
    texts.close,
    () =>
      void whileBusy(close, () =>
        guarded(context, problems, async () => {
          const { returnUrl } = await api.leave();
          leaveTo(returnUrl, texts.finishedHeading, texts.closedText);
        }),
      ),
    "primary",
  );
  const actions = ceremony.canAct ? [next, finish, later, button(texts.decline, context.decline)] : [close];
  return {
    problems,
    finish: () => finish.click(),
    root: element("footer", { class: "bar" }, progress, element("div", { class: "row" }, ...actions)),
    update: () => {
      const { done, total } = fields.required();
      progress.textContent = done === total ? texts.allDone : fill(texts.progress, { done, total });
      progress.hidden = !ceremony.canAct;
      next.hidden = done === total;
    },
  };
}

async function finishSigning(context: BarContext, problems: HTMLElement): Promise<void> {
  const { fields, controls, texts, autosave } = context;
  const missing = fields.nextAfter(undefined);
  if (missing !== undefined) {
    showProblems(context, problems, [{ field: missing.tabId, message: texts.fieldMissing }]);
    return;
  }
  for (const control of controls) control.showProblem(undefined);
  problems.replaceChildren();
  if (!(await hasSigned(context))) return;
  await guarded(context, problems, async () => {
    const { returnUrl } = await api.finish({
      values: fields.values(),
      signature: fields.signature,
      initials: fields.initials,
    });
    autosave.stop();
    leaveTo(returnUrl, texts.finishedHeading, texts.finishedText);
  });
}

/** Signers need a signature even without a field for it. */
async function hasSigned({ ceremony: { recipient }, fields, texts, autosave }: BarContext): Promise<boolean> {
  if (recipient === null || !signingRoles.has(recipient.role) || fields.signature !== null) return true;
  const adoption = await askForSignature(recipient.name, texts);
  if (adoption === undefined) return false;
  fields.signature = adoption.signature;
  fields.initials = adoption.initials;
  autosave.adopted();
  return true;
}

const signingRoles = new Set(["signer", "in-person-signer"]);

/** Shows any error on the page, so that what was filled in is kept. */
async function guarded(context: BarContext, problems: HTMLElement, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { texts, ceremony } = context;
    if (error instanceof ApiError && error.isExpired) showExpired(texts, ceremony.timeoutUrl);
    else if (error instanceof ApiError && error.details.length > 0) showProblems(context, problems, error.details);
    else problems.replaceChildren(failureOf(error, texts));
  }
}

export function failureOf(error: unknown, texts: Texts): HTMLElement {
  const reference =
    error instanceof ApiError && error.requestId !== "" ? fill(texts.reference, { id: error.requestId }) : "";
  return element("p", { class: "problem" }, `${texts.failed} ${reference}`);
}

function showProblems(
  { controls, texts }: BarContext,
  root: HTMLElement,
  problems: readonly { readonly field: string; readonly message: string }[],
): void {
  for (const control of controls) {
    const problem = problems.find(({ field }) => field === control.tab.tabId);
    const own = control.tab.validationMessage;
    control.showProblem(problem && (own === "" ? problem.message : own));
  }
  root.replaceChildren(element("p", { class: "problem" }, texts.errorsHeading));
  controls.find(({ tab }) => problems.some(({ field }) => field === tab.tabId))?.focus();
}
