import { useSearch } from "../../../app/router.tsx";
import { useSession } from "../../../app/session.tsx";
import { ErrorState } from "../../../ui/error-state.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { useTemplate, useVersions } from "../queries.ts";
import type { TemplateTabProps } from "../template-tab.ts";
import { LocaleChoice } from "./locale-choice.tsx";
import { localesOf } from "./locales.ts";
import { TextEditor } from "./text-editor.tsx";
import "./content.css";

/** The text of a template in each of its languages. */
export function ContentTab({ templateId }: TemplateTabProps) {
  const mayWrite = useSession().can("click:write");
  const wanted = useSearch().get("locale");
  const { data: template, ...asked } = useTemplate(templateId);
  const { data: versions, error, refetch } = useVersions(templateId);
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
      <TextEditor key={current.locale} template={template} state={current} isReadOnly={isReadOnly} />
    </>
  );
}
