import { useRef, useState } from "react";
import type { Template, Version } from "#api/templates.ts";
import { Link } from "../../../app/router.tsx";
import { useLanguage, useTexts } from "../../../texts/texts.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/dialog.tsx";
import { Section } from "../../../ui/page.tsx";
import { ErrorNotice, Notice } from "../../../ui/states.tsx";
import { Select, TextField } from "../../../ui/text-field.tsx";
import { Time } from "../../../ui/time.tsx";
import { CodeEditor, type EditorHandle } from "./code-editor.tsx";
import type { Finding } from "./findings.ts";
import type { LocaleState } from "./locales.ts";
import { Preview } from "./preview.tsx";
import { useDraft, type Writing } from "./use-draft.ts";
import { type Findings, useFindings } from "./use-findings.ts";
import { useLeaveGuard } from "./use-leave-guard.tsx";
import { WordsFields } from "./words-fields.tsx";

interface TextEditorProps {
  readonly template: Template;
  readonly state: LocaleState;
  readonly isReadOnly: boolean;
}

/** The text in one language, with what is wrong with it and how it will look. */
export function TextEditor({ template, state, isReadOnly }: TextEditorProps) {
  const texts = useTexts("editor");
  const writing = useDraft(template.id, state);
  const { draft, isDirty, base, saving } = writing;
  const [isAsking, setIsAsking] = useState(false);
  const question = useLeaveGuard(isDirty, writing.discard);
  const canSave = !isReadOnly && draft.content !== "" && (isDirty || base === undefined) && !writing.theirs;
  const save = () => {
    if (!canSave) return;
    if (base?.status === "PUBLISHED") setIsAsking(true);
    else void saving.run();
  };
  return (
    <div className="text-editor">
      {question}
      <ConfirmDialog
        title={texts.takeBackTitle}
        text={texts.takeBackText(base?.label ?? "")}
        action={texts.takeBackAction}
        kind="primary"
        isOpen={isAsking}
        onConfirm={async () => void (await saving.run())}
        onClose={() => setIsAsking(false)}
      />
      <Section
        title={texts.title}
        actions={!isReadOnly && <SaveButtons writing={writing} canSave={canSave} onSave={save} />}
      >
        <State writing={writing} state={state} isReadOnly={isReadOnly} />
        <Fields {...{ template, state, isReadOnly, writing }} onSave={save} />
      </Section>
      <Preview template={template} draft={draft} locale={state.locale} />
    </div>
  );
}

interface SaveButtonsProps {
  readonly writing: Writing;
  readonly canSave: boolean;
  readonly onSave: () => void;
}

function SaveButtons({ writing: { isDirty, saving, discard, theirs }, canSave, onSave }: SaveButtonsProps) {
  const texts = useTexts("editor");
  return (
    <>
      {isDirty && !theirs && !saving.isBusy && (
        <Button kind="quiet" onPress={discard}>
          {texts.discard}
        </Button>
      )}
      <Button kind="primary" isBusy={saving.isBusy} isDisabled={!canSave} onPress={onSave}>
        {texts.save}
      </Button>
    </>
  );
}

interface StateProps extends Pick<TextEditorProps, "state" | "isReadOnly"> {
  readonly writing: Writing;
}

/** Where the text stands. */
function State({ writing, state: { open, newest }, isReadOnly }: StateProps) {
  const texts = useTexts("editor");
  const { isDirty, saving, theirs, isRestored, base } = writing;
  return (
    <>
      <p className="editor-quiet" role="status">
        {isDirty ? texts.unsaved : base !== undefined && texts.savedState}
      </p>
      {!isReadOnly && !isDirty && open?.status === "DRAFT" && (
        <p className="editor-quiet">
          {texts.draftNote} <Link to={`/templates/${open.templateId}/versions`}>{texts.toVersions}</Link>
        </p>
      )}
      {isRestored && <Notice>{texts.restored}</Notice>}
      {!isReadOnly && open === undefined && newest !== undefined && <Notice>{texts.fromArchived}</Notice>}
      {!isReadOnly && open?.status === "PUBLISHED" && <Notice>{texts.publishedNote(open.label ?? "")}</Notice>}
      <ConflictNotice writing={writing} />
      {saving.error !== undefined && !theirs && <ErrorNotice error={saving.error} />}
    </>
  );
}

interface FieldsProps extends TextEditorProps {
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
          options={texts.formats}
          value={draft.format}
          isDisabled={isReadOnly}
          onChange={(format) => change({ format: format as Version["format"] })}
        />
      </div>
      {draft.content === "" && !isReadOnly && <p className="editor-quiet">{texts.emptyHelp}</p>}
      <CodeEditor
        label={texts.textLabel}
        locale={locale}
        format={draft.format}
        isReadOnly={isReadOnly}
        value={draft.content}
        onChange={(content) => change({ content })}
        onSave={onSave}
        findings={findings.all}
        checked={findings.content}
        handle={handle}
      />
      <FindingList findings={findings} onJump={({ offset, length }) => handle.current?.jump(offset, length)} />
      <WordsFields template={template} draft={draft} isReadOnly={isReadOnly} onChange={change} />
    </>
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
        <pre lang={theirs.locale}>{theirs.content}</pre>
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
