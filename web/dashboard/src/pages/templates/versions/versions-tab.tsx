import type { Template, Version } from "#api/templates.ts";
import { useSearch } from "../../../app/router.tsx";
import { useSession } from "../../../app/session.tsx";
import { useLanguage, useTexts } from "../../../texts/texts.tsx";
import { ButtonLink } from "../../../ui/button.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { ErrorState } from "../../../ui/error-state.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { Section } from "../../../ui/page.tsx";
import { Comparison } from "../compare/comparison.tsx";
import { languageName } from "../language-name.ts";
import { useTemplate, useVersions } from "../queries.ts";
import type { TemplateTabProps } from "../template-tab.ts";
import { VersionTable } from "./version-table.tsx";

/** By language, the main one first; a comparison that the address asks for comes before them. */
export function VersionsTab({ templateId }: TemplateTabProps) {
  const texts = useTexts("templates");
  const { locale } = useLanguage();
  const search = useSearch();
  const { data: template } = useTemplate(templateId);
  const { data: versions, error, refetch } = useVersions(templateId);
  if (versions === undefined || template === undefined) {
    return error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />;
  }
  if (versions.length === 0) return <NoVersions template={template} />;
  return (
    <>
      {search.has("from") ? <Comparison versions={versions} /> : <p className="page-intro">{texts.versionsIntro}</p>}
      {byLocale(versions, template.defaultLocale).map(([tag, ofLocale]) => (
        <Section
          key={tag}
          title={languageName(tag, locale)}
          intro={tag === template.defaultLocale ? texts.mainLanguage : undefined}
        >
          <VersionTable
            label={texts.versionsOf(languageName(tag, locale))}
            versions={ofLocale}
            isArchived={template.status === "ARCHIVED"}
          />
        </Section>
      ))}
    </>
  );
}

function NoVersions({ template }: { readonly template: Template }) {
  const texts = useTexts("templates");
  const mayWrite = useSession().can("click:write") && template.status !== "ARCHIVED";
  return (
    <EmptyState
      title={texts.noVersions}
      text={mayWrite ? texts.noVersionsText : texts.noVersionsReadOnly}
      action={mayWrite && <ButtonLink to={`/templates/${template.id}`}>{texts.writeText}</ButtonLink>}
    />
  );
}

/** Each with its newest version first. */
function byLocale(versions: readonly Version[], main: string): [string, Version[]][] {
  const groups = new Map<string, Version[]>();
  for (const version of [...versions].reverse()) {
    groups.set(version.locale, [...(groups.get(version.locale) ?? []), version]);
  }
  const rank = (tag: string): string => (tag === main ? "" : tag);
  return [...groups].sort(([a], [b]) => (rank(a) < rank(b) ? -1 : 1));
}
