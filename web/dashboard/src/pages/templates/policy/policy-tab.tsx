import { useSession } from "../../../app/session.tsx";
import { useTexts } from "../../../texts/texts.tsx";
import { ErrorState } from "../../../ui/error-state.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { Section } from "../../../ui/page.tsx";
import { useConfiguration } from "../configuration.ts";
import type { TemplateTabProps } from "../template-tab.ts";
import { ConfigurationSection } from "./configuration-section.tsx";
import { PolicyForm } from "./policy-form.tsx";
import { VerificationSection } from "./verification-section.tsx";
import "./policy.css";

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
