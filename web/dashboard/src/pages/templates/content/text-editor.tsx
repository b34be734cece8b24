import { lazy, Suspense, useEffect, useImperativeHandle, useRef, useState } from "react";
import type { Template, Version, VersionDraft } from "#api/templates.ts";
import { useApi } from "../../../api/client.ts";
import { Link } from "../../../app/router.tsx";
import { useLanguage, useTexts } from "../../../texts/texts.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import { Section } from "../../../ui/page.tsx";
import { ErrorNotice, Loading, Notice } from "../../../ui/states.tsx";
import { Select, TextField } from "../../../ui/text-field.tsx";
import { Time } from "../../../ui/time.tsx";
import { useAction } from "../../../ui/use-action.ts";
import { useLeaveGuard } from "../../../ui/use-leave-guard.tsx";
import { useTemplateChanges, versionPath } from "../queries.ts";
import { CompareLink, PublishDialog } from "../versions/version-actions.tsx";
import { CodeEditor, type CodeEditorProps, type EditorHandle } from "./code-editor.tsx";
import { type Draft, draftOf, isTooLarge, readableOf, writtenAs } from "./draft.ts";
import { type Finding, type Findings, useFindings, variablesOf } from "./findings.ts";
import { PdfText, UploadPdf } from "./pdf-text.tsx";
import { Preview } from "./preview.tsx";
import { useDraft, type Writing } from "./use-draft.ts";
import { type LocaleState, WordsFields } from "./words-fields.tsx";

/** Loaded where a text is opened in it. */
const VisualEditor = lazy(async () => ({ default: (await import("./visual/visual-editor.tsx")).VisualEditor }));

export interface TextEditorProps {
  readonly template: Template;
  /** Of a published version the next text is open. */
  readonly state: LocaleState;
  readonly isReadOnly: boolean;
  /** What people are shown now. */
  readonly live: Version | undefined;
}

/** The text in one language, with what is wrong with it and how it will look. */
export function TextEditor({ template, state, isReadOnly, live }: TextEditorProps) {
  const texts = useTexts("editor");
  const writing = useDraft(template.id, state, isReadOnly);
  const { draft, isDirty, base, saving } = writing;
  useLeaveGuard(isDirty, writing.discard);
  const canSave = !isReadOnly && draft.content !== "" && (isDirty || base === undefined) && !writing.theirs;
  const save = () => {
    if (canSave) void saving.run();
  };
  return (
    <div className="text-editor">
      <Section
        title={texts.title}
        actions={!isReadOnly && <TextButtons writing={writing} state={state} canSave={canSave} onSave={save} />}
      >
        <State writing={writing} state={state} isReadOnly={isReadOnly} />
        <Fields {...{ template, state, isReadOnly, writing }} onSave={save} />
      </Section>
      <Preview template={template} draft={draft} locale={state.locale} live={isReadOnly ? undefined : live} />
    </div>
  );
}

interface TextButtonsProps extends Pick<TextEditorProps, "state"> {
  readonly writing: Writing;
  readonly canSave: boolean;
  readonly onSave: () => void;
}

/** What is not saved is saved or discarded; what is saved is published, or the next text given up. */
function TextButtons({ writing, state: { open }, canSave, onSave }: TextButtonsProps) {
  const texts = useTexts("editor");
  const { isDirty, saving, discard, theirs } = writing;
  const isPublishable = !isDirty && open !== undefined && (open.status === "DRAFT" || open.draft !== null);
  return (
    <>
      {isDirty && !theirs && !saving.isBusy && (
        <Button kind="quiet" onPress={discard}>
          {texts.discard}
        </Button>
      )}
      {isPublishable && <CompareLink version={open} />}
      {isPublishable && <DiscardDraft version={open} />}
      <Button kind={isPublishable ? "plain" : "primary"} isBusy={saving.isBusy} isDisabled={!canSave} onPress={onSave}>
        {texts.save}
      </Button>
      {isPublishable && <PublishButton version={open} />}
    </>
  );
}

function PublishButton({ version }: { readonly version: Version }) {
  const { publish } = useTexts("templates");
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <Button kind="primary" onPress={() => setIsAsking(true)}>
        {publish}
      </Button>
      <PublishDialog version={version} isOpen={isAsking} onClose={() => setIsAsking(false)} />
    </>
  );
}

function DiscardDraft({ version }: { readonly version: Version }) {
  const texts = useTexts("editor");
  const api = useApi();
  const { templateChanged } = useTemplateChanges();
  const [isAsking, setIsAsking] = useState(false);
  if (version.draft === null) return null;
  const search = new URLSearchParams({ ifUpdatedAt: version.draft.updatedAt });
  const discard = async () => {
    await api.send("DELETE", `${versionPath(version)}/draft?${search}`);
    await templateChanged(version.templateId);
  };
  return (
    <>
      <Button kind="quiet" onPress={() => setIsAsking(true)}>
        {texts.discardDraft}
      </Button>
      <ConfirmDialog
        title={texts.discardDraftTitle}
        text={texts.discardDraftText}
        action={texts.discardDraft}
        isOpen={isAsking}
        onConfirm={discard}
        onClose={() => setIsAsking(false)}
      />
    </>
  );
}

interface StateProps extends Pick<TextEditorProps, "state" | "isReadOnly"> {
  readonly writing: Writing;
}

/** Where the text stands. */
function State({ writing, state: { open, newest }, isReadOnly }: StateProps) {
  const texts = useTexts("editor");
  const isLive = open?.status === "PUBLISHED";
  const { isDirty, saving, theirs, isRestored, base } = writing;
  return (
    <>
      <p className="editor-quiet" role="status">
        {isDirty ? texts.unsaved : base !== undefined && (!isLive || open.draft !== null) && texts.savedState}
      </p>
      {!isReadOnly && !isDirty && open?.status === "DRAFT" && <p className="editor-quiet">{texts.draftNote}</p>}
      {open !== undefined && open.schedule !== null && (
        <Notice>
          {texts.scheduledNote} <Time value={open.schedule.publishAt} seconds />.{" "}
          <Link to={`/templates/${open.templateId}/versions`}>{texts.scheduledWay}</Link>
        </Notice>
      )}
      {isRestored && <Notice>{texts.restored}</Notice>}
      {!isReadOnly && open === undefined && newest !== undefined && <Notice>{texts.fromArchived}</Notice>}
      {!isReadOnly && isLive && (
        <Notice>
          {open.draft === null ? texts.liveNote(open.label ?? "") : texts.nextNote(open.label ?? "")}
          {open.draft !== null && (
            <>
              {" "}
              {texts.draftSaved} <Time value={open.draft.updatedAt} seconds />.
            </>
          )}
        </Notice>
      )}
      {!isReadOnly && open?.status === "DRAFT" && open.draft !== null && (
        <LeftDraft version={open} onTake={writing.change} />
      )}
      <ConflictNotice writing={writing} />
      {saving.error !== undefined && !theirs && <ErrorNotice error={saving.error} />}
    </>
  );
}

interface LeftDraftProps {
  readonly version: Version;
  readonly onTake: (draft: Draft) => void;
}

/** Of a version that was unpublished while its next text was written. */
function LeftDraft({ version, onTake }: LeftDraftProps) {
  const texts = useTexts("editor");
  const api = useApi();
  const taking = useAction(async () => {
    onTake(draftOf(await api.get<VersionDraft>(`${versionPath(version)}/draft`)));
  });
  return (
    <Notice>
      <p>{texts.leftDraft}</p>
      <Button isBusy={taking.isBusy} onPress={() => void taking.run()}>
        {texts.takeDraft}
      </Button>
      {taking.error !== undefined && <ErrorNotice error={taking.error} />}
    </Notice>
  );
}

interface FieldsProps extends Omit<TextEditorProps, "live"> {
  readonly writing: Writing;
  readonly onSave: () => void;
}

function Fields({ template, state: { locale }, isReadOnly, writing, onSave }: FieldsProps) {
  const texts = useTexts("editor");
  const { draft, change } = writing;
  const handle = useRef<EditorHandle>(null);
  const findings = useFindings(template, draft);
  return (
    <>
      <div className="editor-fields">
        <TextField
          label={texts.textTitle}
          placeholder={template.name}
          value={draft.title}
          maxLength={255}
          isReadOnly={isReadOnly}
          onChange={(title) => change({ title })}
        />
        <Select
          label={texts.format}
          options={texts.formats.filter(({ id }) => id !== "pdf" || draft.format === "pdf")}
          value={draft.format}
          isDisabled={isReadOnly}
          onChange={(format) => change(writtenAs(format as Draft["format"], draft))}
        />
      </div>
      {!isReadOnly && <UploadPdf template={template} draft={draft} onChange={change} />}
      {draft.content === "" && !isReadOnly && <p className="editor-quiet">{texts.emptyHelp}</p>}
      {draft.format === "pdf" ? (
        <PdfText template={template} draft={draft} locale={locale} />
      ) : (
        <Written
          {...{ template, handle, isReadOnly, onSave, locale }}
          label={texts.textLabel}
          format={draft.format}
          value={draft.content}
          onChange={(content) => change({ content })}
          findings={findings.all}
          checked={findings.content}
        />
      )}
      <FindingList findings={findings} onJump={({ offset, length }) => handle.current?.jump(offset, length)} />
      <WordsFields template={template} draft={draft} isReadOnly={isReadOnly} onChange={change} />
    </>
  );
}

type Refusal = "ERRORS" | "FORM" | "PLACE";

/** The text as it will look or, one press away, its source. What cannot be shown so without a loss is shown as source. */
function Written({ template, ...editor }: CodeEditorProps & Pick<TextEditorProps, "template">) {
  const texts = useTexts("editor").visual;
  const [isSource, setIsSource] = useState(false);
  const [refusal, setRefusal] = useState<Refusal>();
  /** With which text something was pasted that was too much. */
  const [refusedAt, setRefusedAt] = useState<string>();
  const inner = useRef<EditorHandle>(null);
  const now = useRef(editor.value);
  now.current = editor.value;
  const wanted = useRef<readonly [offset: number, length: number]>(undefined);
  const isVisual = editor.format === "html" && !isSource;
  const choose = (source: boolean) => {
    setIsSource(source);
    setRefusal(undefined);
  };
  useImperativeHandle(editor.handle, () => ({
    jump: (offset, length) => {
      wanted.current = [offset, length];
      inner.current?.jump(offset, length);
    },
  }));
  useEffect(() => {
    // A place that only the source has.
    if (refusal === "PLACE" && wanted.current !== undefined) inner.current?.jump(...wanted.current);
  }, [refusal]);
  return (
    <div className="written">
      {editor.format === "html" && (
        <fieldset className="written-views">
          <legend>{texts.view}</legend>
          {[false, true].map((source) => (
            <button
              key={String(source)}
              type="button"
              aria-pressed={source === isSource}
              onClick={() => choose(source)}
            >
              {source ? texts.source : texts.visual}
            </button>
          ))}
        </fieldset>
      )}
      {isSource && refusal !== undefined && refusal !== "PLACE" && <Notice>{texts.refusals[refusal]}</Notice>}
      {refusedAt === editor.value && <Notice tone="danger">{texts.pasteTooLarge}</Notice>}
      {isTooLarge(editor.value) && <Notice tone="danger">{texts.tooLarge}</Notice>}
      {isVisual ? (
        <Suspense fallback={<Loading />}>
          <VisualEditor
            {...editor}
            handle={inner}
            fields={template.type === "GENERATED" ? variablesOf(template) : undefined}
            onRefuse={(why) => {
              setIsSource(true);
              setRefusal(why);
            }}
            onTooLarge={() => setRefusedAt(now.current)}
          />
        </Suspense>
      ) : (
        <CodeEditor {...editor} handle={inner} />
      )}
    </div>
  );
}

/** Somebody else has saved meanwhile: nothing is lost of either text until somebody decides. */
function ConflictNotice({ writing }: { readonly writing: Writing }) {
  const texts = useTexts("editor");
  const { theirs, takeTheirs, keepMine } = writing;
  if (theirs === undefined) return null;
  return (
    <Notice tone="warning" title={texts.conflictTitle}>
      <p>
        {texts.conflictText} <Time value={theirs.updatedAt} seconds />.
      </p>
      <details className="theirs">
        <summary>{texts.theirText}</summary>
        <pre lang={theirs.locale}>{readableOf(theirs)}</pre>
      </details>
      <div className="form-buttons">
        <Button onPress={keepMine}>{texts.keepMine}</Button>
        <Button kind="danger" onPress={takeTheirs}>
          {texts.takeTheirs}
        </Button>
      </div>
    </Notice>
  );
}

interface FindingListProps {
  readonly findings: Findings;
  readonly onJump: (finding: Finding) => void;
}

/** What is wrong with the text; each leads to its place. */
function FindingList({ findings: { all, content, error }, onJump }: FindingListProps) {
  const texts = useTexts("editor");
  const { locale } = useLanguage();
  if (error) return <ErrorNotice error={error} />;
  const errors = all.filter(({ severity }) => severity === "ERROR").length;
  return (
    <div className="findings">
      <p role="status">{content !== "" && texts.found(errors, all.length - errors, locale)}</p>
      {all.length > 0 && (
        <ol aria-label={texts.findings}>
          {all.map((finding) => (
            <li key={`${finding.code} ${finding.offset} ${finding.message}`}>
              <Badge tone={finding.severity === "ERROR" ? "danger" : "warning"}>
                {texts.severities[finding.severity]}
              </Badge>
              <button type="button" className="finding-link" onClick={() => onJump(finding)}>
                {texts.place(finding.line, finding.column)}
              </button>
              <span>{texts.messages.get(finding.code) ?? finding.message}</span>
              {finding.snippet && <code>{finding.snippet}</code>}
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
