import { useState } from "react";
import { wrongInput } from "../../api/wrong-input.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { Switch } from "../../ui/switch.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { EventTypeChoice } from "./event-type-choice.tsx";
import type { Endpoint } from "./types.ts";

export interface EndpointValues {
  readonly url: string;
  readonly description: string;
  /** Empty for all. */
  readonly eventTypes: readonly string[];
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
  const send = async (values: FormValues) => {
    // Without types it would be sent all of them, which is not what was chosen.
    if (!wantsAll && chosen.length === 0) throw wrongInput(texts.typesMissing);
    const eventTypes = wantsAll ? [] : chosen;
    await onSubmit({ url: values.text("url").trim(), description: values.text("description").trim(), eventTypes });
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
    </Form>
  );
}
