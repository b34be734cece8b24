import { useState } from "react";
import type { LoginAnswer, SignedIn } from "#api/users.ts";
import { useApi } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";
import { Link, useSearch } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { Form } from "../../ui/form.tsx";
import { ErrorNotice, Notice } from "../../ui/states.tsx";
import { PasswordField, TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-action.ts";
import { EntryFrame, ProviderLogin, ProviderOrganizations, useEnter, useLoginMethods } from "./entry-frame.tsx";
import { PasskeyLogin, PasskeyStep, type Pending, useCodeText } from "./passkey-ways.tsx";

interface Credentials {
  readonly email: string;
  readonly password: string;
}

type Step =
  | { readonly at: "password"; readonly error?: unknown }
  | {
      readonly at: "organization";
      readonly credentials: Credentials;
      readonly organizations: LoginAnswer["organizations"];
    }
  | { readonly at: "code"; readonly pending: Pending };

/** Password first, then which organization if it fits several, then the second factor if there is one. */
export function LoginPage() {
  const api = useApi();
  const enter = useEnter();
  const [step, setStep] = useState<Step>({ at: "password" });
  const [email, setEmail] = useState("");
  const logIn = async (credentials: Credentials, organizationId?: string) => {
    setEmail(credentials.email);
    const answer = await api.send<LoginAnswer>("POST", "/v1/dashboard/login", {
      ...credentials,
      ...(organizationId === undefined ? {} : { organizationId }),
    });
    if (answer.session !== null) enter(answer.session);
    else if (answer.pendingToken !== null) {
      setStep({ at: "code", pending: { ...answer, pendingToken: answer.pendingToken } });
    } else setStep({ at: "organization", credentials, organizations: answer.organizations });
  };
  const startOver = (error?: unknown) => setStep({ at: "password", error });
  if (step.at === "code") return <CodeStep pending={step.pending} onStartOver={startOver} />;
  if (step.at === "password") return <PasswordStep email={email} error={step.error} onLogIn={logIn} />;
  return (
    <OrganizationStep
      organizations={step.organizations}
      onChoose={(id) => logIn(step.credentials, id)}
      onStartOver={startOver}
    />
  );
}

interface PasswordStepProps {
  /** What was filled in before. */
  readonly email: string;
  /** Why signing in had to start again. */
  readonly error: unknown;
  readonly onLogIn: (credentials: Credentials) => Promise<void>;
}

function PasswordStep({ email, error, onLogIn }: PasswordStepProps) {
  const texts = useTexts("entry");
  const methods = useLoginMethods();
  const enter = useEnter();
  const search = useSearch();
  if (search.get("choose") === "organization" && methods !== undefined && methods.organizations.length > 0) {
    return (
      <EntryFrame title={texts.organizationTitle} intro={texts.organizationText}>
        <ProviderOrganizations methods={methods} />
        <p>
          <Link to="/login">{texts.startOver}</Link>
        </p>
      </EntryFrame>
    );
  }
  return (
    <EntryFrame title={texts.logIn}>
      <WhyHere error={error} provider={methods?.identityProvider?.name ?? texts.theProvider} />
      <Form
        submit={texts.logIn}
        onSubmit={(values) => onLogIn({ email: values.text("email"), password: values.text("password") })}
      >
        <TextField
          name="email"
          type="email"
          label={texts.email}
          defaultValue={email}
          autoComplete="username"
          isRequired
          autoFocus
        />
        <PasswordField name="password" label={texts.password} autoComplete="current-password" isRequired />
      </Form>
      <PasskeyLogin methods={methods} onSignedIn={enter} />
      <ProviderLogin methods={methods} />
      <p>
        <Link to="/forgot">{texts.forgotten}</Link>
      </p>
    </EntryFrame>
  );
}

interface WhyHereProps {
  readonly error: unknown;
  readonly provider: string;
}

/** Why somebody has to sign in, or could not. */
function WhyHere({ error, provider }: WhyHereProps) {
  const texts = useTexts("entry");
  const search = useSearch();
  if (error !== undefined) return <ErrorNotice error={error} />;
  const failed = search.get("failed");
  if (failed !== null) {
    const words = texts.providerFailed.get(failed) ?? texts.providerFailedOtherwise;
    return <Notice tone="danger">{words(provider)}</Notice>;
  }
  return search.has("next") ? <Notice>{texts.ended}</Notice> : null;
}

interface OrganizationStepProps {
  readonly organizations: LoginAnswer["organizations"];
  readonly onChoose: (id: string) => Promise<void>;
  readonly onStartOver: () => void;
}

function OrganizationStep({ organizations, onChoose, onStartOver }: OrganizationStepProps) {
  const texts = useTexts("entry");
  const { run, isBusy, error } = useAction(onChoose);
  return (
    <EntryFrame title={texts.organizationTitle} intro={texts.organizationText}>
      {error !== undefined && <ErrorNotice error={error} />}
      <div className="entry-choices">
        {organizations.map(({ id, name }) => (
          <Button key={id} isDisabled={isBusy} onPress={() => void run(id)}>
            {name}
          </Button>
        ))}
      </div>
      <Button kind="quiet" onPress={() => onStartOver()}>
        {texts.startOver}
      </Button>
    </EntryFrame>
  );
}

interface CodeStepProps {
  readonly pending: Pending;
  readonly onStartOver: (error?: unknown) => void;
}

function CodeStep({ pending, onStartOver }: CodeStepProps) {
  const { pendingToken, totp } = pending;
  const texts = useTexts("entry");
  const api = useApi();
  const enter = useEnter();
  const text = useCodeText(pending);
  const isOver = (error: unknown) => error instanceof ApiError && error.code === "LOGIN_EXPIRED";
  const send = async (code: string) => {
    try {
      enter(await api.send<SignedIn>("POST", "/v1/dashboard/login/code", { pendingToken, code }));
    } catch (error) {
      if (!isOver(error)) throw error;
      onStartOver(error);
    }
  };
  return (
    <EntryFrame title={texts.codeTitle} intro={text}>
      <PasskeyStep
        pending={pending}
        onSignedIn={enter}
        onRefused={(error) => {
          if (isOver(error)) onStartOver(error);
        }}
      />
      <Form
        submit={texts.continue}
        onSubmit={(values) => send(values.text("code").trim())}
        aside={
          <Button kind="quiet" onPress={() => onStartOver()}>
            {texts.startOver}
          </Button>
        }
      >
        <TextField
          name="code"
          label={totp ? texts.code : texts.recoveryCode}
          autoComplete="one-time-code"
          isRequired
          autoFocus={pending.passkey === null}
          maxLength={100}
        />
      </Form>
    </EntryFrame>
  );
}
