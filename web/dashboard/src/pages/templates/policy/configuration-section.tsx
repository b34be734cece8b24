import { useState } from "react";
import { useApi } from "../../../api/client.ts";
import { wrongInput } from "../../../api/wrong-input.ts";
import { useTexts } from "../../../texts/texts.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Form, type FormValues } from "../../../ui/form.tsx";
import { Section } from "../../../ui/page.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import type { Configuration } from "../configuration.ts";
import { templatePath, useTemplateChanges } from "../queries.ts";

interface ConfigurationSectionProps {
  readonly configuration: Configuration;
  readonly isReadOnly: boolean;
}

/** What belongs to the type: documents beside the text, merge fields or purposes. */
export function ConfigurationSection({ configuration, isReadOnly }: ConfigurationSectionProps) {
  const texts = useTexts("editor");
  const [isOpen, setIsOpen] = useState(false);
  const { type, typeConfig } = configuration;
  return (
    <Section
      title={texts.configuration}
      intro={texts.configurationIntro[type]}
      actions={!isReadOnly && <Button onPress={() => setIsOpen(true)}>{texts.changeConfiguration}</Button>}
    >
      <pre className="configuration">{JSON.stringify(typeConfig, undefined, 2)}</pre>
      {isOpen && <ConfigurationDialog configuration={configuration} onClose={() => setIsOpen(false)} />}
    </Section>
  );
}

interface ConfigurationDialogProps {
  readonly configuration: Configuration;
  readonly onClose: () => void;
}

function ConfigurationDialog({ configuration, onClose }: ConfigurationDialogProps) {
  const texts = useTexts("editor");
  const api = useApi();
  const { templateChanged } = useTemplateChanges();
  const { templateId, typeConfig, type } = configuration;
  const save = async (values: FormValues) => {
    const wanted = jsonObject(values.text("typeConfig"));
    if (wanted === undefined) throw wrongInput(texts.jsonWrong, "typeConfig");
    await api.send("PATCH", templatePath(templateId), { typeConfig: wanted });
    await templateChanged(templateId);
    onClose();
  };
  return (
    <Dialog title={texts.changeConfiguration} isOpen onClose={onClose}>
      <p>{texts.configurationHelp[type]}</p>
      <Form submit={texts.save} onSubmit={save} onCancel={onClose}>
        <div className="json-field">
          <TextField
            name="typeConfig"
            label={texts.json}
            rows={16}
            defaultValue={JSON.stringify(typeConfig, undefined, 2)}
            isRequired
          />
        </div>
      </Form>
    </Dialog>
  );
}

/** Undefined for what is no JSON object. */
function jsonObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
