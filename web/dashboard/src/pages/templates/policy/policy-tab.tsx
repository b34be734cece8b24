import "./policy.css";
import { useState } from "react";
import { useApi } from "../../../api/client.ts";
import { wrongInput } from "../../../api/errors.ts";
import { useSession } from "../../../app/session.tsx";
import { useLanguage, useTexts } from "../../../texts/texts.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Form, type FormValues } from "../../../ui/form.tsx";
import { Facts, Section } from "../../../ui/page.tsx";
import { ErrorState, Loading } from "../../../ui/states.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { Time } from "../../../ui/time.tsx";
import {
  type Configuration,
  type TemplateTabProps,
  useConfiguration,
  type VerificationMethod,
} from "../configuration.ts";
import { templatePath, useTemplateChanges } from "../queries.ts";
import { PolicyForm } from "./policy-form.tsx";

/** What an acceptance must satisfy, and what the type of the template is told. */
export function PolicyTab({ templateId }: TemplateTabProps) {
  const texts = useTexts("editor");
  const mayWrite = useSession().can("click:write");
  const { data: configuration, error, refetch } = useConfiguration(templateId);
  if (configuration === undefined) {
    return error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />;
  }
  const isReadOnly = !mayWrite || configuration.status === "ARCHIVED";
  return (
    <>
      <VerificationSection configuration={configuration} />
      <Section title={texts.policy} intro={texts.policyIntro}>
        <PolicyForm key={configuration.policyHash} configuration={configuration} isReadOnly={isReadOnly} />
      </Section>
      <ConfigurationSection configuration={configuration} isReadOnly={isReadOnly} />
    </>
  );
}

/** What follows from the policy for whoever records an acceptance. */
function VerificationSection({ configuration }: { readonly configuration: Configuration }) {
  const texts = useTexts("editor");
  const { verification, policyHash, updatedAt } = configuration;
  const { methods } = verification;
  const hasChoice = methods.some(({ required }) => !required);
  return (
    <Section title={texts.verification} intro={texts.verificationIntro}>
      {methods.length === 0 ? (
        <p>{texts.noVerification}</p>
      ) : (
        <>
          {hasChoice && <p>{texts.oneIsEnough}</p>}
          <ul className="methods">
            {methods.map((method) => (
              <li key={method.method}>
                <MethodName method={method} />
              </li>
            ))}
          </ul>
        </>
      )}
      <Facts
        facts={[
          [texts.policyHash, <code key="hash">{policyHash}</code>],
          [texts.changed, <Time key="changed" value={updatedAt} />],
        ]}
      />
    </Section>
  );
}

function MethodName({ method: { method, required, parameters } }: { readonly method: VerificationMethod }) {
  const texts = useTexts("editor");
  const { locale } = useLanguage();
  const { minAge } = parameters;
  return (
    <>
      <strong>{texts.choices.get(method) ?? method}</strong> <code className="policy-code">{method}</code>
      {!required && ` (${texts.alternative})`}
      {typeof minAge === "number" && `, ${texts.fromAge(new Intl.NumberFormat(locale).format(minAge))}`}
    </>
  );
}

interface ConfigurationSectionProps {
  readonly configuration: Configuration;
  readonly isReadOnly: boolean;
}

/** What belongs to the type: documents beside the text, merge fields or purposes. */
function ConfigurationSection({ configuration, isReadOnly }: ConfigurationSectionProps) {
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
