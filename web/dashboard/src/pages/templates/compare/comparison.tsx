import { useId, useMemo } from "react";
import type { Version } from "#api/templates.ts";
import { useNavigate, useSearch } from "../../../app/router.tsx";
import { useTexts } from "../../../texts/texts.tsx";
import { Button } from "../../../ui/button.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { ErrorState } from "../../../ui/error-state.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { Section } from "../../../ui/page.tsx";
import { type Option, Select } from "../../../ui/select.tsx";
import { readTextName, useComparedText } from "./compared-text.ts";
import { TextDifferences } from "./text-differences.tsx";
import { textOptions } from "./text-options.ts";
import "./compare.css";

type View = "read" | "source";

/** Of the two texts that the address names; it can be sent to a colleague. */
export function Comparison({ versions }: { readonly versions: readonly Version[] }) {
  const texts = useTexts("templates");
  const search = useSearch();
  const navigate = useNavigate();
  const options = useMemo(() => textOptions(versions, texts), [versions, texts]);
  const [from, to] = [search.get("from") ?? "", search.get("to") ?? ""];
  const view: View = search.get("view") === "source" ? "source" : "read";
  const show = (wanted: { from?: string; to?: string; view?: View }) => {
    const next = new URLSearchParams({ from, to, view, ...wanted });
    navigate(`${pageOf(versions)}?${next}`, { replace: true });
  };
  const pick = (name: "from" | "to", label: string, value: string) => (
    <Select label={label} options={options} value={value} onChange={(key) => show({ [name]: String(key) })} />
  );
  return (
    <Section
      title={texts.compareTitle}
      intro={texts.compareHelp}
      actions={<Button onPress={() => navigate(pageOf(versions))}>{texts.closeComparison}</Button>}
    >
      <div className="template-filters">
        {pick("from", texts.compareFrom, from)}
        {pick("to", texts.compareTo, to)}
        <Select
          label={texts.compareAs}
          options={viewsOf(texts)}
          value={view}
          onChange={(key) => show({ view: key === "source" ? "source" : "read" })}
        />
      </div>
      <Compared versions={versions} options={options} from={from} to={to} view={view} />
    </Section>
  );
}

const pageOf = ([version]: readonly Version[]): string => `/templates/${version?.templateId ?? ""}/versions`;

const viewsOf = ({ asRead, asSource }: { readonly asRead: string; readonly asSource: string }): Option[] => [
  { id: "read", label: asRead },
  { id: "source", label: asSource },
];

interface ComparedProps {
  readonly versions: readonly Version[];
  readonly options: readonly Option[];
  readonly from: string;
  readonly to: string;
  readonly view: View;
}

function Compared({ versions, options, from, to, view }: ComparedProps) {
  const texts = useTexts("templates");
  const heading = useId();
  const older = useComparedText(versions, readTextName(from));
  const newer = useComparedText(versions, readTextName(to));
  const failed = [older, newer].find(({ error }) => error);
  if (failed !== undefined) return <ErrorState error={failed.error} retry={() => void failed.refetch()} />;
  if (older.version === undefined || newer.version === undefined) {
    return <EmptyState title={texts.compareTitle} text={texts.compareNothing} />;
  }
  if (older.text === undefined || newer.text === undefined) return <Loading />;
  const wordsOf = (name: string) => options.find(({ id }) => id === name)?.label ?? name;
  return (
    <section aria-labelledby={heading} className="comparison">
      <h3 id={heading}>{texts.comparisonOf(wordsOf(from), wordsOf(to))}</h3>
      <TextDifferences
        from={older.text}
        to={newer.text}
        view={view}
        lang={isSameLanguage(older.version, newer.version) ? newer.version.locale : undefined}
      />
    </section>
  );
}

const isSameLanguage = (one: Version, other: Version): boolean => one.locale === other.locale;
