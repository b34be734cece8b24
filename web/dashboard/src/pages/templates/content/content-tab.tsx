import "./content.css";
import { useState } from "react";
import { wrongInput } from "../../../api/errors.ts";
import { Link, useNavigate, useSearch } from "../../../app/router.tsx";
import { useSession } from "../../../app/session.tsx";
import { useLanguage, useTexts } from "../../../texts/texts.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Form, type FormValues } from "../../../ui/form.tsx";
import { ErrorState, Loading } from "../../../ui/states.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import type { TemplateTabProps } from "../configuration.ts";
import { useTemplate, useTemplateChanges, useVersionDraft, useVersions } from "../queries.ts";
import { useReadAtPublications } from "../versions/schedule.tsx";
import { openedOf } from "./draft.ts";
import { TextEditor, type TextEditorProps } from "./text-editor.tsx";
import { canonicalLocale, type LocaleState, localeName, localesOf } from "./words-fields.tsx";

/** The text of a template in each of its languages. */
export function ContentTab({ templateId }: TemplateTabProps) {
  const mayWrite = useSession().can("click:write");
  const wanted = useSearch().get("locale");
  const { data: template, ...asked } = useTemplate(templateId);
  const { data: versions, error, refetch } = useVersions(templateId);
  useReadAtPublications(templateId, versions);
  if (template === undefined || versions === undefined) {
    const failed = error ?? asked.error;
    if (!failed) return <Loading />;
    const again = () => void Promise.all([refetch(), asked.refetch()]);
    return <ErrorState error={failed} retry={again} />;
  }
  const locales = localesOf(template, versions, wanted);
  const current = locales.find(({ locale }) => locale === wanted) ?? locales[0];
  const isReadOnly = !mayWrite || template.status === "ARCHIVED";
  if (current === undefined) return null;
  return (
    <>
      <LocaleChoice templateId={templateId} locales={locales} current={current.locale} mayAdd={!isReadOnly} />
      <OpenText key={current.locale} template={template} state={current} isReadOnly={isReadOnly} />
    </>
  );
}

/** Whoever writes has the next text before them; whoever only reads what is live. */
function OpenText({ template, state, isReadOnly }: Omit<TextEditorProps, "live">) {
  const { open } = state;
  const live = open?.status === "PUBLISHED" ? open : undefined;
  const withDraft = !isReadOnly && open?.status === "PUBLISHED" && open.draft !== null ? open : undefined;
  const { data: next, error } = useVersionDraft(withDraft);
  const { templateChanged } = useTemplateChanges();
  const isClosed = isReadOnly || (open !== undefined && open.schedule !== null);
  if (withDraft === undefined) return <TextEditor {...{ template, state, live }} isReadOnly={isClosed} />;
  if (next === undefined) {
    return error ? <ErrorState error={error} retry={() => void templateChanged(template.id)} /> : <Loading />;
  }
  return (
    <TextEditor {...{ template, live }} isReadOnly={isClosed} state={{ ...state, open: openedOf(withDraft, next) }} />
  );
}

interface LocaleChoiceProps {
  readonly templateId: string;
  readonly locales: readonly LocaleState[];
  readonly current: string;
  readonly mayAdd: boolean;
}

/** In which language the text is written. */
function LocaleChoice({ templateId, locales, current, mayAdd }: LocaleChoiceProps) {
  const texts = useTexts("editor");
  const { locale: reader } = useLanguage();
  const [isAdding, setIsAdding] = useState(false);
  return (
    <div className="locale-choice">
      <nav aria-label={texts.languages}>
        <ul>
          {locales.map(({ locale, open }) => (
            <li key={locale}>
              <Link to={addressOf(templateId, locale)} aria-current={locale === current ? "page" : undefined}>
                {localeName(locale, reader)}
                <Badge tone={open?.status === "PUBLISHED" ? "success" : "info"}>
                  {open === undefined ? texts.notYet : texts.versionState(open.status, open.label)}
                </Badge>
                {open?.status === "PUBLISHED" && open.draft !== null && <Badge tone="info">{texts.draftBadge}</Badge>}
                {open !== undefined && open.schedule !== null && <Badge tone="warning">{texts.scheduledBadge}</Badge>}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {mayAdd && <Button onPress={() => setIsAdding(true)}>{texts.addLanguage}</Button>}
      {isAdding && <AddLanguage templateId={templateId} locales={locales} onClose={() => setIsAdding(false)} />}
    </div>
  );
}

interface AddLanguageProps extends Pick<LocaleChoiceProps, "templateId" | "locales"> {
  readonly onClose: () => void;
}

function AddLanguage({ templateId, locales, onClose }: AddLanguageProps) {
  const texts = useTexts("editor");
  const navigate = useNavigate();
  const add = async (values: FormValues) => {
    const locale = canonicalLocale(values.text("locale"));
    if (locale === undefined) throw wrongInput(texts.languageWrong);
    if (locales.some((known) => known.locale === locale)) throw wrongInput(texts.languageKnown);
    onClose();
    navigate(addressOf(templateId, locale));
  };
  return (
    <Dialog title={texts.addLanguage} isOpen onClose={onClose}>
      <Form submit={texts.addLanguage} onSubmit={add} onCancel={onClose}>
        <TextField
          name="locale"
          label={texts.languageTag}
          hint={texts.languageHelp}
          isRequired
          maxLength={35}
          autoFocus
        />
      </Form>
    </Dialog>
  );
}

const addressOf = (templateId: string, locale: string): string =>
  `/templates/${encodeURIComponent(templateId)}?${new URLSearchParams({ locale })}`;
