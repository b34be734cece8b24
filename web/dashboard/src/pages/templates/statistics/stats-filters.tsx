import { useMemo } from "react";
import { useNavigate, usePath, useSearch } from "../../../app/router.tsx";
import { useLanguage, useTexts } from "../../../texts/texts.tsx";
import { Button } from "../../../ui/button.tsx";
import { type Option, Select } from "../../../ui/text-field.tsx";
import { type Stats, type StatsFilter, useStats, type VersionCount } from "./stats.ts";

const names = ["from", "to", "locale", "versionId"] as const;

/** The filters are in the address of the page, so that it can be kept and sent to somebody. */
export function useFilter(): StatsFilter {
  const search = useSearch();
  return useMemo(() => Object.fromEntries(names.map((name) => [name, search.get(name) || undefined])), [search]);
}

export function StatsFilters({ templateId, filter }: { readonly templateId: string; readonly filter: StatsFilter }) {
  const texts = useTexts("statistics");
  const navigate = useNavigate();
  const path = usePath();
  // What there is to choose from is that of all times.
  const { data: all } = useStats(templateId, {});
  const show = (wanted: StatsFilter) => {
    const search = new URLSearchParams();
    for (const name of names) if (wanted[name]) search.set(name, wanted[name]);
    navigate(`${path}${search.size === 0 ? "" : `?${search}`}`, { replace: true });
  };
  const locales = useLocales(all);
  const versions = useVersions(all);
  return (
    <div className="stats-filters">
      <Days filter={filter} show={show} />
      <Select
        label={texts.locale}
        options={[{ id: anything, label: texts.anyLocale }, ...locales]}
        value={filter.locale ?? anything}
        onChange={(key) => show({ ...filter, locale: key === anything ? undefined : String(key) })}
      />
      <Select
        label={texts.version}
        options={[{ id: anything, label: texts.anyVersion }, ...versions]}
        value={filter.versionId ?? anything}
        onChange={(key) => show({ ...filter, versionId: key === anything ? undefined : String(key) })}
      />
      {names.some((name) => filter[name]) && <Button onPress={() => show({})}>{texts.clear}</Button>}
    </div>
  );
}

const anything = "*";

interface DaysProps {
  readonly filter: StatsFilter;
  readonly show: (wanted: StatsFilter) => void;
}

/** Days that are typed count when the field is left: on the way there they are other days. */
function Days({ filter, show }: DaysProps) {
  const texts = useTexts("statistics");
  const field = (name: "from" | "to", label: string) => (
    <label className="field" key={`${name} ${filter[name]}`}>
      <span className="field-label">{label}</span>
      <input
        type="date"
        min="2000-01-01"
        max="9999-12-31"
        defaultValue={filter[name] ?? ""}
        onBlur={({ target }) => {
          const day = target.value || undefined;
          if (target.validity.valid && day !== filter[name]) show({ ...filter, [name]: day });
        }}
        onKeyDown={({ key, currentTarget }) => {
          if (key === "Enter") currentTarget.blur();
        }}
      />
    </label>
  );
  return (
    <>
      {field("from", texts.from)}
      {field("to", texts.to)}
    </>
  );
}

function useLocales(all: Stats | undefined): readonly Option[] {
  const { locale } = useLanguage();
  return useMemo(() => {
    const words = new Intl.DisplayNames(locale, { type: "language", fallback: "code" });
    return (all?.byLocale ?? []).map((one) => ({ id: one.locale, label: words.of(one.locale) ?? one.locale }));
  }, [all, locale]);
}

function useVersions(all: Stats | undefined): readonly Option[] {
  return useMemo(() => {
    const byId = new Map<string, VersionCount[]>();
    for (const one of all?.byVersion ?? []) byId.set(one.versionId, [...(byId.get(one.versionId) ?? []), one]);
    return [...byId].map(([id, revisions]) => ({ id, label: versionName(revisions) }));
  }, [all]);
}

/** A version has one locale, and a label for each of its revisions. */
const versionName = (revisions: readonly VersionCount[]): string =>
  `${revisions[0]?.locale}: ${revisions.map(({ label }) => label).join(", ")}`;
