import "../access/access.css";
import { useState } from "react";
import { useApi } from "../../api/client.ts";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, Switch } from "../../ui/form.tsx";
import { optionOf, settingOf, useLocaleOptions, useTimeZoneOptions } from "../../ui/locale-options.ts";
import { Facts, Page, Section } from "../../ui/page.tsx";
import { Notice } from "../../ui/states.tsx";
import { PasswordField, Select, TextField } from "../../ui/text-field.tsx";
import { atField } from "../access/parts.tsx";
import { type NewCodes, PasswordForm, RecoveryCodesDialog, SetUpDialog } from "./account-dialogs.tsx";
import { PasskeysSection } from "./passkeys-section.tsx";
import { SessionsSection } from "./sessions-section.tsx";

/** What everybody decides about themselves. */
export function AccountPage() {
  const texts = useTexts("account");
  const { hasPassword } = useSession().user;
  return (
    <Page title={texts.title}>
      <ProfileSection />
      <NoticesSection />
      {hasPassword ? (
        <>
          <PasswordSection />
          <FactorSection />
          <PasskeysSection />
        </>
      ) : (
        <Section title={texts.noPasswordTitle} intro={texts.noPassword} />
      )}
      <SessionsSection />
    </Page>
  );
}

function PasswordSection() {
  const texts = useTexts("account");
  const api = useApi();
  const [changes, setChanges] = useState(0);
  const wrong = { code: "PASSWORD_WRONG", field: "currentPassword", message: texts.passwordWrong };
  return (
    <Section title={texts.password} intro={texts.passwordText}>
      {changes > 0 && <Notice tone="success">{texts.passwordChanged}</Notice>}
      <Form
        key={changes}
        submit={texts.changePassword}
        onSubmit={async (values) => {
          const passwords = {
            currentPassword: values.text("currentPassword"),
            newPassword: values.text("newPassword"),
          };
          await atField(api.send("POST", "/v1/dashboard/password/change", passwords), wrong);
          setChanges((count) => count + 1);
        }}
      >
        <PasswordField
          name="currentPassword"
          label={texts.currentPassword}
          maxLength={1_000}
          isRequired
          autoComplete="current-password"
        />
        <PasswordField
          name="newPassword"
          label={texts.newPassword}
          hint={texts.newPasswordHelp}
          maxLength={1_000}
          isRequired
          autoComplete="new-password"
        />
      </Form>
    </Section>
  );
}

function ProfileSection() {
  const texts = useTexts("account");
  const { save, saved } = useTexts("common");
  const api = useApi();
  const { user, refresh } = useSession();
  const [isSaved, setIsSaved] = useState(false);
  return (
    <Section title={texts.profile}>
      <Facts facts={[[texts.email, user.email]]} />
      <Form
        submit={save}
        aside={isSaved && <Notice tone="success">{saved}</Notice>}
        onSubmit={async (values) => {
          setIsSaved(false);
          await api.send("PATCH", `/v1/dashboard/users/${user.id}`, {
            name: values.text("name").trim(),
            locale: settingOf(values.text("locale")),
            timeZone: settingOf(values.text("timeZone")),
          });
          await refresh();
          setIsSaved(true);
        }}
      >
        <TextField
          name="name"
          label={texts.name}
          defaultValue={user.name}
          maxLength={255}
          isRequired
          autoComplete="name"
        />
        <Select
          name="locale"
          label={texts.locale}
          options={useLocaleOptions(user.locale, texts.localeBrowser)}
          defaultValue={optionOf(user.locale)}
        />
        <Select
          name="timeZone"
          label={texts.timeZone}
          options={useTimeZoneOptions(user.timeZone, texts.timeZoneBrowser)}
          defaultValue={optionOf(user.timeZone)}
        />
      </Form>
    </Section>
  );
}

const noticeKinds = [
  ...(["viewed", "signed", "declined", "completed", "expiring", "expired", "undelivered", "applications"] as const),
];

function NoticesSection() {
  const texts = useTexts("account");
  const { save, saved } = useTexts("common");
  const api = useApi();
  const { user, refresh } = useSession();
  const [isSaved, setIsSaved] = useState(false);
  return (
    <Section title={texts.notices} intro={texts.noticesText}>
      <Form
        submit={save}
        aside={isSaved && <Notice tone="success">{saved}</Notice>}
        onSubmit={async (values) => {
          setIsSaved(false);
          const flags = Object.fromEntries(noticeKinds.map((kind) => [kind, values.isOn(kind)]));
          const notices = { delivery: values.text("delivery"), ...flags };
          await api.send("PATCH", `/v1/dashboard/users/${user.id}`, { notices });
          await refresh();
          setIsSaved(true);
        }}
      >
        {noticeKinds.map((kind) => (
          <Switch key={kind} name={kind} defaultSelected={user.notices[kind]}>
            {texts.noticeKinds[kind]}
          </Switch>
        ))}
        <Select
          name="delivery"
          label={texts.noticeDelivery}
          options={[
            { id: "immediate", label: texts.noticesAtOnce },
            { id: "daily", label: texts.noticesDaily },
          ]}
          defaultValue={user.notices.delivery}
        />
      </Form>
    </Section>
  );
}

function FactorSection() {
  const texts = useTexts("account");
  const { user } = useSession();
  const [open, setOpen] = useState<"set-up" | "new-codes" | "switch-off">();
  const close = () => setOpen(undefined);
  const hasFactor = user.totpEnabled || user.passkeys > 0;
  const withoutApp = hasFactor ? texts.factorPasskey : texts.factorOff;
  const intro = user.totpEnabled ? texts.factorOn : withoutApp;
  return (
    <Section title={texts.factor} intro={intro}>
      <p className="inline">
        <Badge tone={hasFactor ? "success" : "info"}>{hasFactor ? texts.on : texts.off}</Badge>
        {hasFactor && texts.codesLeft(user.recoveryCodesLeft)}
      </p>
      <div className="form-buttons">
        {hasFactor && <Button onPress={() => setOpen("new-codes")}>{texts.newCodes}</Button>}
        {user.totpEnabled ? (
          <Button kind="danger" onPress={() => setOpen("switch-off")}>
            {texts.switchOff}
          </Button>
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

/** Switches the second factor off. */
function SwitchOffDialog({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts("account");
  const api = useApi();
  const { refresh, user } = useSession();
  return (
    <Dialog title={texts.switchOffTitle} isOpen onClose={onClose}>
      <PasswordForm
        submit={texts.switchOff}
        kind="danger"
        onCancel={onClose}
        onSubmit={async (password) => {
          await api.send("DELETE", "/v1/dashboard/factor/totp", { password });
          await refresh();
          onClose();
        }}
      >
        <p>{user.passkeys > 0 ? texts.switchOffPasskeyText : texts.switchOffText}</p>
      </PasswordForm>
    </Dialog>
  );
}

/** Replaces the recovery codes. */
function NewCodesDialog({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts("account");
  const api = useApi();
  const { refresh } = useSession();
  const [codes, setCodes] = useState<readonly string[]>();
  if (codes !== undefined) return <RecoveryCodesDialog codes={codes} onClose={onClose} />;
  return (
    <Dialog title={texts.newCodesTitle} isOpen onClose={onClose}>
      <PasswordForm
        submit={texts.makeCodes}
        onCancel={onClose}
        onSubmit={async (password) => {
          const made = await api.send<NewCodes>("POST", "/v1/dashboard/factor/recovery-codes", { password });
          setCodes(made.recoveryCodes);
          await refresh();
        }}
      >
        <p>{texts.newCodesText}</p>
      </PasswordForm>
    </Dialog>
  );
}
