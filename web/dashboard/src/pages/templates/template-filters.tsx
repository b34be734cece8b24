import { useEffect, useMemo, useState } from "react";
import { useNavigate, useSearch } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { templateStatuses } from "./configuration.ts";
import type { TemplateFilter } from "./queries.ts";

/** As it is in the address of the page, so that it can be kept and sent to somebody. */
export function useTemplateFilter(): TemplateFilter {
  const search = useSearch();
  return useMemo(
    () => ({
      search: search.get("search") || undefined,
      status: templateStatuses.find((status) => status === search.get("status")),
    }),
    [search],
  );
}

export function TemplateFilters({ filter }: { readonly filter: TemplateFilter }) {
  const texts = useTexts("templates");
  const navigate = useNavigate();
  const show = ({ search, status }: TemplateFilter) => {
    const wanted = new URLSearchParams();
    if (search) wanted.set("search", search);
    if (status) wanted.set("status", status);
    navigate(`/templates${wanted.size === 0 ? "" : `?${wanted}`}`, { replace: true });
  };
  const options = [
    { id: anything, label: texts.anyStatus },
    ...templateStatuses.map((id) => ({ id, label: texts.states[id] })),
  ];
  return (
    <search className="template-filters">
      <SearchField value={filter.search ?? ""} onSearch={(search) => show({ ...filter, search })} />
      <Select
        label={texts.status}
        options={options}
        value={filter.status ?? anything}
        onChange={(key) => show({ ...filter, status: key === anything ? undefined : String(key) })}
      />
      {(filter.search || filter.status) && <Button onPress={() => show({})}>{texts.clearFilters}</Button>}
    </search>
  );
}

const anything = "*";
const pauseMs = 300;

interface SearchFieldProps {
  readonly value: string;
  readonly onSearch: (search: string) => void;
}

/** Searches when the typing pauses. */
function SearchField({ value, onSearch }: SearchFieldProps) {
  const texts = useTexts("templates");
  const [typed, setTyped] = useState(value);
  // Cleared, or led back to, from elsewhere; a space that was just typed stays.
  useEffect(() => setTyped((now) => (now.trim() === value ? now : value)), [value]);
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => onSearch(typed.trim()), pauseMs);
    return () => clearTimeout(timer);
  }, [typed, value, onSearch]);
  return (
    <TextField
      type="search"
      label={texts.search}
      placeholder={texts.searchHelp}
      value={typed}
      onChange={setTyped}
      maxLength={255}
    />
  );
}
