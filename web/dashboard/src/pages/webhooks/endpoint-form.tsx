import "./webhooks.css";
import { useMemo, useState } from "react";
import type { Endpoint, EventType } from "#api/webhooks.ts";
import { wrongInput } from "../../api/errors.ts";
import { useTexts } from "../../texts/texts.tsx";
import { CheckboxGroup, Form, type FormValues, Switch } from "../../ui/form.tsx";
import { ErrorState, Loading } from "../../ui/states.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useEventTypes } from "./queries.ts";

export interface EndpointValues {
  readonly url: string;
  readonly description: string;
  /** Empty for all but the audit trail. */
  readonly eventTypes: readonly string[];
  readonly auditFormat: Endpoint["auditFormat"];
}

interface EndpointFormProps {
  /** What is changed; nothing when one is created. */
  readonly endpoint?: Endpoint;
  readonly submit: string;
  readonly onSubmit: (values: EndpointValues) => Promise<unknown>;
  readonly onCancel: () => void;
}

export function EndpointForm({ endpoint, submit, onSubmit, onCancel }: EndpointFormProps) {
  const texts = useTexts("webhooks");
  const [chosen, setChosen] = useState(endpoint?.eventTypes ?? []);
  const [wantsAll, setWantsAll] = useState(chosen.length === 0);
  const [isOcsf, setOcsf] = useState(endpoint?.auditFormat === "OCSF");
  const send = async (values: FormValues) => {
    // Without types it would be sent all of them, which is not what was chosen.
    if (!wantsAll && chosen.length === 0) throw wrongInput(texts.typesMissing);
    const eventTypes = wantsAll ? [] : chosen;
    const auditFormat = isOcsf ? "OCSF" : "ASSENT";
    const description = values.text("description").trim();
    await onSubmit({ url: values.text("url").trim(), description, eventTypes, auditFormat });
  };
  return (
    <Form submit={submit} onSubmit={send} onCancel={onCancel}>
      <TextField
        name="url"
        type="url"
        label={texts.urlLabel}
        hint={texts.urlHelp}
        defaultValue={endpoint?.url ?? ""}
        isRequired
        autoFocus
        maxLength={2_048}
      />
      <TextField
        name="description"
        label={texts.descriptionLabel}
        hint={texts.descriptionHelp}
        defaultValue={endpoint?.description ?? ""}
        maxLength={500}
      />
      <Switch isSelected={wantsAll} onChange={setWantsAll}>
        {texts.allTypes}
      </Switch>
      {!wantsAll && <EventTypeChoice chosen={chosen} onChange={setChosen} />}
      {!wantsAll && chosen.some((type) => areaOf(type) === "assent") && (
        <Switch isSelected={isOcsf} onChange={setOcsf}>
          {texts.asOcsf}
        </Switch>
      )}
    </Form>
  );
}

interface EventTypeChoiceProps {
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** Any types of events, by their areas. */
function EventTypeChoice({ chosen, onChange }: EventTypeChoiceProps) {
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

interface EventArea {
  /** What the types begin with, such as "agreement". */
  readonly name: string;
  readonly types: readonly EventType[];
}

/** Sent when somebody asks for it, whatever an endpoint wants. */
const testType = "webhook.test";

/** The types that an endpoint may ask for, by their areas, in the order in which the API lists them. */
function eventAreas(types: readonly EventType[]): EventArea[] {
  const areas = new Map<string, EventType[]>();
  for (const type of types) {
    if (type.type === testType) continue;
    const name = areaOf(type.type);
    areas.set(name, [...(areas.get(name) ?? []), type]);
  }
  return [...areas].map(([name, ofArea]) => ({ name, types: ofArea }));
}

/** Those whose name or description has every word of the search. */
function searchAreas(areas: readonly EventArea[], search: string): EventArea[] {
  const words = search.toLowerCase().split(" ").filter(Boolean);
  const matches = ({ type, description }: EventType): boolean => {
    const text = `${type} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return areas
    .map(({ name, types }) => ({ name, types: types.filter(matches) }))
    .filter(({ types }) => types.length > 0);
}

/** The whole choice after that of one area was changed, among what the search shows of it. */
function withAreaChoice(chosen: readonly string[], shown: readonly EventType[], ofArea: readonly string[]): string[] {
  const visible = new Set(shown.map(({ type }) => type));
  return [...chosen.filter((type) => !visible.has(type)), ...ofArea];
}

const areaOf = (type: string): string => type.split(".")[0] ?? type;
