import { useState } from "react";
import type { FlagValues } from "#api/templates.ts";
import { useApi } from "../../../api/client.ts";
import { ApiError } from "../../../api/errors.ts";
import { useTexts } from "../../../texts/texts.tsx";
import { Form, type FormValues } from "../../../ui/form.tsx";
import { Notice } from "../../../ui/states.tsx";
import { type Configuration, type FlagValue, useConfigurationIs, useTypeDefaults } from "../configuration.ts";
import { templatePath } from "../queries.ts";
import { FlagField } from "./flag-field.tsx";
import { changedFlags, type FlagControl, type FlagGroup, flagControls, flagGroups, readFlag } from "./flags.ts";

interface PolicyFormProps {
  readonly configuration: Configuration;
  readonly isReadOnly: boolean;
}

export function PolicyForm({ configuration, isReadOnly }: PolicyFormProps) {
  const texts = useTexts("editor");
  const save = useSave(configuration);
  const [isSaved, setIsSaved] = useState(false);
  const groups = <Groups configuration={configuration} isReadOnly={isReadOnly} />;
  if (isReadOnly) return <div className="flag-groups">{groups}</div>;
  const send = async (values: FormValues) => {
    setIsSaved(false);
    await save(values);
    setIsSaved(true);
  };
  return (
    <Form submit={texts.savePolicy} onSubmit={send}>
      <div className="flag-groups">{groups}</div>
      {isSaved && <Notice tone="success">{texts.nothingChanged}</Notice>}
    </Form>
  );
}

function Groups({ configuration: { type, effectivePolicy }, isReadOnly }: PolicyFormProps) {
  const texts = useTexts("editor");
  const defaults = useTypeDefaults(type);
  return (Object.keys(flagGroups) as FlagGroup[]).map((group) => (
    <fieldset key={group} className="flag-group">
      <legend>{texts.groups[group]}</legend>
      {Object.entries<FlagControl>(flagGroups[group]).map(([name, control]) => (
        <FlagField
          key={name}
          name={name}
          control={control}
          value={effectivePolicy[name]}
          fallback={defaults[name]}
          isReadOnly={isReadOnly}
        />
      ))}
    </fieldset>
  ));
}

/** Sends the flags that were changed and no others, so that nothing of what somebody else set meanwhile is undone. */
function useSave({ templateId, effectivePolicy }: Configuration) {
  const api = useApi();
  const texts = useTexts("editor");
  const configurationIs = useConfigurationIs();
  return async (values: FormValues) => {
    const known = new Map<string, FlagValue>(Object.entries(effectivePolicy as FlagValues));
    const wanted = new Map([...flagControls].map(([name, control]) => [name, readFlag(values, name, control)]));
    const policyFlags = changedFlags(known, wanted);
    if (Object.keys(policyFlags).length === 0) return;
    try {
      const path = `${templatePath(templateId)}/policy-flags`;
      configurationIs(await api.send<Configuration>("POST", path, { policyFlags }));
    } catch (error) {
      throw error instanceof ApiError ? named(error, (name) => texts.flags.get(name)?.label) : error;
    }
  };
}

/**
 * Switches have no place for what is wrong with them, and a contradiction may be mended at another field: both are told
 * below, by the words that are beside the flag.
 */
export function named(error: ApiError, wordsOf: (name: string) => string | undefined): ApiError {
  const details = error.details.map((problem) => {
    const name = problem.field.split(".").at(-1) ?? "";
    const isOfNoField = problem.code === "CONFLICT" || flagControls.get(name)?.kind === "switch";
    return isOfNoField ? { ...problem, field: wordsOf(name) ?? name } : problem;
  });
  const { status, code, message, requestId } = error;
  return new ApiError({ status, code, message, requestId, details });
}
