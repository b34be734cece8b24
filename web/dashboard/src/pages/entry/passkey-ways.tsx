import type { SignedIn } from "#api/users.ts";
import type { LoginMethods } from "../../api/begin-session.ts";
import { useApi } from "../../api/client.ts";
import { continueWithPasskey, loginWithPasskey, type PasskeyChallenge } from "../../api/passkeys.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNotice } from "../../ui/states.tsx";
import { useAction } from "../../ui/use-action.ts";

interface PasskeyLoginProps {
  readonly methods: LoginMethods | undefined;
  readonly onSignedIn: (session: SignedIn) => void;
}

/** Signs in with a passkey alone, where browsers have any. */
export function PasskeyLogin({ methods, onSignedIn }: PasskeyLoginProps) {
  const api = useApi();
  const texts = useTexts("entry");
  const { run, isBusy, error } = useAction(async () => onSignedIn(await loginWithPasskey(api)));
  if (methods?.passkeys !== true || !("credentials" in navigator)) return null;
  return (
    <div className="entry-provider">
      <p className="entry-or">{texts.or}</p>
      {error !== undefined && <ErrorNotice error={error} />}
      <Button isBusy={isBusy} onPress={() => void run()}>
        {texts.usePasskey}
      </Button>
    </div>
  );
}

/** What an answer to the password says of the second factor. */
export interface Pending {
  readonly pendingToken: string;
  readonly totp: boolean;
  readonly passkey: PasskeyChallenge | null;
}

interface PasskeyStepProps {
  readonly pending: Pending;
  readonly onSignedIn: (session: SignedIn) => void;
  readonly onRefused?: ((error: unknown) => void) | undefined;
}

/** The second factor, when the person has a passkey. */
export function PasskeyStep({ pending, onSignedIn, onRefused }: PasskeyStepProps) {
  const { pendingToken, passkey } = pending;
  const api = useApi();
  const texts = useTexts("entry");
  const { run, isBusy, error } = useAction(async () => {
    if (passkey === null) return;
    try {
      onSignedIn(await continueWithPasskey(api, pendingToken, passkey));
    } catch (thrown) {
      onRefused?.(thrown);
      throw thrown;
    }
  });
  if (passkey === null) return null;
  return (
    <div className="entry-passkey">
      {error !== undefined && <ErrorNotice error={error} />}
      <Button kind="primary" isBusy={isBusy} onPress={() => void run()}>
        {texts.usePasskey}
      </Button>
      <p className="entry-or">{texts.or}</p>
    </div>
  );
}

/** What is to be typed instead. */
export function useCodeText({ totp, passkey }: Pending): string {
  const texts = useTexts("entry");
  if (passkey !== null) return totp ? texts.passkeyOrCode : texts.passkeyOrRecovery;
  return totp ? texts.codeText : texts.recoveryText;
}
