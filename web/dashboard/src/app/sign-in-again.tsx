import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import type { LoginAnswer, SignedIn } from "#api/users.ts";
import {
  beginSession,
  endedKey,
  isSamePerson,
  type LoginMethods,
  leaveSession,
  sessionKey,
} from "../api/begin-session.ts";
import { useApi } from "../api/client.ts";
import { PasskeyLogin, PasskeyStep, type Pending, useCodeText } from "../pages/entry/passkey-ways.tsx";
import { useTexts } from "../texts/texts.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Form } from "../ui/form.tsx";
import { PasswordField, TextField } from "../ui/text-field.tsx";
import { hrefOf } from "./router.tsx";
import { useSession } from "./session.tsx";

/** Over the page when the session has ended, so that what was typed is still there afterwards. */
export function SignInAgain() {
  const texts = useTexts("entry");
  const queries = useQueryClient();
  const { data: isEnded = false } = useQuery<boolean>({ queryKey: endedKey, enabled: false, initialData: false });
  return (
    <Dialog title={texts.againTitle} isOpen={isEnded} isDismissable={false} onClose={() => undefined}>
      <p>{texts.againText}</p>
      <Steps />
      <Button kind="quiet" onPress={() => leaveSession(queries)}>
        {texts.asSomeoneElse}
      </Button>
    </Dialog>
  );
}

/** The password of the same person for the same organization, and a code if they need one. */
function Steps() {
  const texts = useTexts("entry");
  const api = useApi();
  const { user, organization } = useSession();
  const goOn = useGoOn();
  const [pending, setPending] = useState<Pending>();
  const sendPassword = async (password: string) => {
    const wanted = { email: user.email, password, organizationId: organization.id };
    const answer = await api.send<LoginAnswer>("POST", "/v1/dashboard/login", wanted);
    if (answer.session !== null) goOn(answer.session);
    else if (answer.pendingToken !== null) setPending({ ...answer, pendingToken: answer.pendingToken });
  };
  if (pending !== undefined) return <Code pending={pending} onStartOver={() => setPending(undefined)} />;
  return (
    <>
      <Form
        key="password"
        asksBeforeLeaving={false}
        submit={texts.logIn}
        onSubmit={(values) => sendPassword(values.text("password"))}
      >
        <TextField name="email" label={texts.email} value={user.email} autoComplete="username" isReadOnly />
        <PasswordField name="password" label={texts.password} autoComplete="current-password" isRequired autoFocus />
      </Form>
      <Elsewhere />
    </>
  );
}

function Code({ pending, onStartOver }: { readonly pending: Pending; readonly onStartOver: () => void }) {
  const texts = useTexts("entry");
  const api = useApi();
  const goOn = useGoOn();
  const { pendingToken, totp, passkey } = pending;
  const text = useCodeText(pending);
  return (
    <>
      <PasskeyStep pending={pending} onSignedIn={goOn} />
      <Form
        key="code"
        asksBeforeLeaving={false}
        submit={texts.continue}
        onSubmit={async (values) => {
          const code = values.text("code").trim();
          goOn(await api.send<SignedIn>("POST", "/v1/dashboard/login/code", { pendingToken, code }));
        }}
        aside={
          <Button kind="quiet" onPress={onStartOver}>
            {texts.startOver}
          </Button>
        }
      >
        <TextField
          name="code"
          label={totp ? texts.code : texts.recoveryCode}
          hint={text}
          autoComplete="one-time-code"
          isRequired
          autoFocus={passkey === null}
          maxLength={100}
        />
      </Form>
    </>
  );
}

/** A passkey; or the identity provider in another tab, from which the person finds this page as it was. */
function Elsewhere() {
  const texts = useTexts("entry");
  const api = useApi();
  const goOn = useGoOn();
  const { data: methods } = useQuery({
    queryKey: ["login-methods"],
    queryFn: () => api.get<LoginMethods>("/v1/dashboard/login/methods"),
    gcTime: 0,
  });
  useEffect(() => {
    const look = async () => {
      const response = await fetch("/v1/dashboard/session", { credentials: "same-origin", cache: "no-store" });
      if (response.ok) goOn((await response.json()) as SignedIn);
    };
    const onFocus = () => void look().catch(() => undefined);
    window.addEventListener("focus", onFocus);
    return () => window.removeEventListener("focus", onFocus);
  }, [goOn]);
  const provider = methods?.identityProvider;
  return (
    <>
      <PasskeyLogin methods={methods} onSignedIn={goOn} />
      {provider && (
        <p>
          <a href={hrefOf("/login")} target="_blank" rel="noreferrer">
            {texts.logInWith(provider.name)}
          </a>{" "}
          {texts.inNewTab}
        </p>
      )}
    </>
  );
}

/** The page stays as it is, and what waits for the session is sent; unless it is somebody else who has signed in. */
function useGoOn(): (session: SignedIn) => void {
  const queries = useQueryClient();
  return useCallback(
    (session) => {
      const ended = queries.getQueryData<SignedIn | null>(sessionKey);
      if (!ended || !isSamePerson(ended, session)) return beginSession(queries, session);
      queries.setQueryData(sessionKey, session);
      queries.setQueryData(endedKey, false);
    },
    [queries],
  );
}
