import { useMemo, useState } from "react";
import { useTexts } from "../../texts/texts.tsx";
import { CheckboxGroup } from "../../ui/checkbox-group.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Loading } from "../../ui/loading.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { eventAreas, searchAreas, withAreaChoice } from "./event-areas.ts";
import { useEventTypes } from "./queries.ts";
import "./webhooks.css";

interface EventTypeChoiceProps {
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** Any types of events, by their areas. */
export function EventTypeChoice({ chosen, onChange }: EventTypeChoiceProps) {
  const texts = useTexts("webhooks");
  const { data: types, error, refetch } = useEventTypes();
  const [search, setSearch] = useState("");
  const areas = useMemo(() => eventAreas(types ?? []), [types]);
  if (types === undefined) return error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />;
  const found = searchAreas(areas, search);
  const count = areas.reduce((sum, area) => sum + area.types.length, 0);
  return (
    <fieldset className="event-types">
      <legend>{texts.typesLabel}</legend>
      <TextField
        label={texts.searchTypes}
        type="search"
        value={search}
        onChange={setSearch}
        onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
      />
      <div className="event-areas">
        {found.map(({ name, types: shown }) => (
          <CheckboxGroup
            key={name}
            label={texts.areas[name] ?? texts.otherArea}
            options={shown.map(({ type, description }) => ({ id: type, label: type, hint: description }))}
            value={chosen.filter((type) => shown.some((one) => one.type === type))}
            onChange={(ofArea) => onChange(withAreaChoice(chosen, shown, ofArea))}
          />
        ))}
        {found.length === 0 && <p>{texts.noTypesFound}</p>}
      </div>
      <p className="webhook-aside" role="status">
        {texts.typesChosen(chosen.length, count)}
      </p>
    </fieldset>
  );
}
