import { useState } from "react";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Section } from "../../ui/page.tsx";
import { NewCodesDialog } from "./new-codes-dialog.tsx";
import { SetUpDialog } from "./set-up-dialog.tsx";
import { SwitchOffDialog } from "./switch-off-dialog.tsx";
import "../access/access.css";

export function FactorSection() {
  const texts = useTexts("account");
  const { user } = useSession();
  const [open, setOpen] = useState<"set-up" | "new-codes" | "switch-off">();
  const close = () => setOpen(undefined);
  return (
    <Section title={texts.factor} intro={user.totpEnabled ? texts.factorOn : texts.factorOff}>
      <p className="inline">
        <Badge tone={user.totpEnabled ? "success" : "info"}>{user.totpEnabled ? texts.on : texts.off}</Badge>
        {user.totpEnabled && texts.codesLeft(user.recoveryCodesLeft)}
      </p>
      <div className="form-buttons">
        {user.totpEnabled ? (
          <>
            <Button onPress={() => setOpen("new-codes")}>{texts.newCodes}</Button>
            <Button kind="danger" onPress={() => setOpen("switch-off")}>
              {texts.switchOff}
            </Button>
          </>
        ) : (
          <Button kind="primary" onPress={() => setOpen("set-up")}>
            {texts.setUp}
          </Button>
        )}
      </div>
      {open === "set-up" && <SetUpDialog onClose={close} />}
      {open === "new-codes" && <NewCodesDialog onClose={close} />}
      {open === "switch-off" && <SwitchOffDialog onClose={close} />}
    </Section>
  );
}
