import { useState } from "react";
import type { Agreement } from "#api/agreements.ts";
import { useApi } from "../../api/client.ts";
import { useNavigate } from "../../app/router.tsx";
import { useSession } from "../../app/session.tsx";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Form, type FormValues } from "../../ui/form.tsx";
import { Notice } from "../../ui/notice.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-action.ts";
import { agreementPath, useAgreementChanges } from "./queries.ts";
import { isActing, isOpen, recipientsOf } from "./types.ts";
import "./agreements.css";

type Asked = "void" | "remove";

/** What moves it on or ends it, for those who may. */
export function AgreementActions({ agreement }: { readonly agreement: Agreement }) {
  const texts = useTexts("agreements");
  const { can } = useSession();
  const [asked, setAsked] = useState<Asked>();
  const remind = useReminder(agreement);
  const close = () => setAsked(undefined);
  const isDraft = agreement.status === "created";
  return (
    <>
      <div className="form-buttons agreement-actions">
        {isDraft && can("sign:write") && (
          <ButtonLink to={`/agreements/${agreement.id}/prepare`} kind="primary">
            {texts.prepare}
          </ButtonLink>
        )}
        {isOpen(agreement) && can("sign:send") && (
          <Button kind="primary" isBusy={remind.isBusy} onPress={() => void remind.run()}>
            {texts.remind}
          </Button>
        )}
        {isOpen(agreement) && can("sign:admin") && (
          <Button kind="danger" onPress={() => setAsked("void")}>
            {texts.void}
          </Button>
        )}
        {isDraft && can("sign:admin") && (
          <Button kind="danger" onPress={() => setAsked("remove")}>
            {texts.remove}
          </Button>
        )}
      </div>
      {remind.error !== undefined && <ErrorNotice error={remind.error} />}
      {isOpen(agreement) && remind.done !== undefined && <Notice tone="success">{remind.done}</Notice>}
      <VoidDialog agreement={agreement} isOpen={asked === "void"} onClose={close} />
      <RemoveDialog agreement={agreement} isOpen={asked === "remove"} onClose={close} />
    </>
  );
}

function useReminder(agreement: Agreement) {
  const texts = useTexts("agreements");
  const { locale } = useLanguage();
  const api = useApi();
  const { agreementIs } = useAgreementChanges();
  const [done, setDone] = useState<string>();
  const action = useAction(async () => {
    setDone(undefined);
    const now = await api.send<Agreement>("POST", `${agreementPath(agreement.id)}/remind`);
    const mailed = recipientsOf(now).filter((one) => isActing(one) && one.clientUserId === null);
    const names = mailed.map(({ name, email }) => name ?? email ?? "");
    const list = new Intl.ListFormat(locale).format(names);
    setDone(names.length === 0 ? texts.remindedNobody : texts.reminded(list));
    await agreementIs(now);
  });
  return { ...action, done };
}

interface DialogProps {
  readonly agreement: Agreement;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** As many letters of it are kept. */
const longestReason = 200;

function VoidDialog({ agreement, isOpen: isShown, onClose }: DialogProps) {
  const texts = useTexts("agreements");
  const api = useApi();
  const { agreementIs } = useAgreementChanges();
  const end = async (values: FormValues) => {
    const body = { voidedReason: values.text("voidedReason") };
    await agreementIs(await api.send<Agreement>("POST", `${agreementPath(agreement.id)}/void`, body));
    onClose();
  };
  return (
    <Dialog title={texts.voidTitle} isOpen={isShown} onClose={onClose}>
      <Form submit={texts.void} kind="danger" onSubmit={end} onCancel={onClose}>
        <p>{texts.voidText(agreement.emailSubject ?? texts.untitled)}</p>
        <TextField
          name="voidedReason"
          label={texts.voidReason}
          hint={texts.voidReasonHint}
          rows={3}
          maxLength={longestReason}
          isRequired
          autoFocus
        />
      </Form>
    </Dialog>
  );
}

function RemoveDialog({ agreement, isOpen: isShown, onClose }: DialogProps) {
  const texts = useTexts("agreements");
  const api = useApi();
  const navigate = useNavigate();
  const { agreementGone } = useAgreementChanges();
  const remove = async () => {
    await api.send("DELETE", agreementPath(agreement.id));
    navigate("/agreements", { replace: true });
    agreementGone(agreement.id);
  };
  return (
    <ConfirmDialog
      title={texts.removeTitle}
      text={texts.removeText(agreement.emailSubject ?? texts.untitled)}
      action={texts.remove}
      isOpen={isShown}
      onConfirm={remove}
      onClose={onClose}
    />
  );
}
