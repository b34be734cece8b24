import { useLanguage, useTexts } from "../../../texts/texts.tsx";
import { Facts, Section } from "../../../ui/page.tsx";
import { Time } from "../../../ui/time.tsx";
import type { Configuration, VerificationMethod } from "../configuration.ts";

/** What follows from the policy for whoever records an acceptance. */
export function VerificationSection({ configuration }: { readonly configuration: Configuration }) {
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
