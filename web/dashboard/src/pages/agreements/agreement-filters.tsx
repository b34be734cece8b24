import { type FormEvent, useEffect, useState } from "react";
import { useNavigate } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { DayField } from "../../ui/day-field.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { type AgreementFilter, isId, isNarrowed, pathOf } from "./filter.ts";
import { agreementStatuses, dateFields } from "./types.ts";
import "./agreements.css";

interface FiltersProps {
  readonly filter: AgreementFilter;
  /** Whether what they say is being looked for. */
  readonly isBusy: boolean;
}

/** They are in the address of the page, so that it can be kept and sent to somebody. */
export function AgreementFilters({ filter, isBusy }: FiltersProps) {
  const texts = useTexts("agreements");
  const navigate = useNavigate();
  const show = (wanted: AgreementFilter) => navigate(pathOf(wanted), { replace: true });
  const withDate = (change: AgreementFilter) => show({ ...filter, ...change });
  return (
    <div className="agreement-filters">
      <SearchForm filter={filter} isBusy={isBusy} />
      <Select
        label={texts.status}
        options={[
          { id: anything, label: texts.anyStatus },
          ...agreementStatuses.map((id) => ({ id, label: texts.statuses[id] })),
        ]}
        value={filter.status ?? anything}
        onChange={(key) => show({ ...filter, status: key === anything ? undefined : String(key) })}
      />
      <Select
        label={texts.dateField}
        options={dateFields.map((id) => ({ id, label: texts.dateFields[id] }))}
        value={filter.dateField ?? "created"}
        onChange={(key) => withDate({ dateField: key === "created" ? undefined : String(key) })}
      />
      <DayField label={texts.from} value={filter.from} onChange={(from) => withDate({ from })} />
      <DayField label={texts.to} value={filter.to} onChange={(to) => withDate({ to })} />
      {isNarrowed(filter) && <Button onPress={() => show({})}>{texts.clearFilters}</Button>}
    </div>
  );
}

const anything = "*";

/** Searched for when it is sent, not with each letter: it goes through many rows. */
function SearchForm({ filter, isBusy }: FiltersProps) {
  const texts = useTexts("agreements");
  const navigate = useNavigate();
  const [words, setWords] = useState(filter.search ?? "");
  useEffect(() => setWords(filter.search ?? ""), [filter.search]);
  const search = (event: FormEvent) => {
    event.preventDefault();
    const wanted = words.trim();
    if (isId(wanted)) navigate(`/agreements/${wanted.toLowerCase()}`);
    else navigate(pathOf({ ...filter, search: wanted || undefined }), { replace: true });
  };
  return (
    <form className="agreement-search" onSubmit={search}>
      <TextField
        label={texts.search}
        type="search"
        placeholder={texts.searchHint}
        maxLength={200}
        value={words}
        onChange={setWords}
      />
      <Button type="submit" isBusy={isBusy}>
        {texts.searchAction}
      </Button>
    </form>
  );
}
