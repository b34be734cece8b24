import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { useMailLanguages } from "../../ui/locale-options.ts";
import { Select, TextField } from "../../ui/text-field.tsx";
import { newRecipient } from "./details.ts";
import { groupsOf, nameOf } from "./recipients.ts";
import { type RecipientInput, recipientRoles } from "./types.ts";
import { VerificationFields } from "./verification-fields.tsx";

interface RecipientRowsProps {
  readonly recipients: readonly RecipientInput[];
  readonly onChange: (recipients: readonly RecipientInput[]) => void;
  /** The recipientIds of those who keep their task, because they were asked for it. */
  readonly asked?: ReadonlySet<string>;
}

export function RecipientRows({ recipients, onChange, asked = new Set() }: RecipientRowsProps) {
  const texts = useTexts("sending");
  const places = placesOf(recipients);
  const change = (changed: RecipientInput) =>
    onChange(recipients.map((one) => (one.recipientId === changed.recipientId ? changed : one)));
  const remove = (id: string) => onChange(recipients.filter(({ recipientId }) => recipientId !== id));
  return (
    <>
      <ol className="sending-recipients">
        {recipients.map((recipient, index) => (
          <li key={recipient.recipientId}>
            <RecipientRow
              recipient={recipient}
              number={index + 1}
              at={places.get(recipient.recipientId) ?? ""}
              isAsked={asked.has(recipient.recipientId)}
              onChange={change}
              {...(recipients.length > 1 ? { onRemove: () => remove(recipient.recipientId) } : {})}
            />
          </li>
        ))}
      </ol>
      <div>
        <Button onPress={() => onChange([...recipients, newRecipient(recipients)])}>{texts.addRecipient}</Button>
      </div>
    </>
  );
}

/** Where each of them stands in a request. */
function placesOf(recipients: readonly RecipientInput[]): ReadonlyMap<string, string> {
  const groups = Object.entries(groupsOf(recipients)) as [string, RecipientInput[]][];
  return new Map(
    groups.flatMap(([name, members]) =>
      members.map(({ recipientId }, index) => [recipientId, `recipients.${name}[${index}]`] as const),
    ),
  );
}

interface RecipientRowProps {
  readonly recipient: RecipientInput;
  readonly number: number;
  /** What the API calls it in errors. */
  readonly at: string;
  readonly isAsked: boolean;
  readonly onChange: (recipient: RecipientInput) => void;
  readonly onRemove?: () => void;
}

function RecipientRow({ recipient, number, at, isAsked, onChange, onRemove }: RecipientRowProps) {
  const texts = useTexts("sending");
  const { role, name, email, routingOrder, roleName, locale } = recipient;
  const languages = useMailLanguages(locale);
  // Roles of templates that stay empty are left out when it is sent.
  const isRequired = !roleName;
  const title = roleName ? texts.recipientOfRole(number, roleName) : texts.recipient(number);
  return (
    <fieldset className="sending-recipient">
      <legend>{title}</legend>
      <TextField
        name={`${at}.name`}
        label={texts.name}
        value={name ?? ""}
        onChange={(value) => onChange({ ...recipient, name: value })}
        isRequired={isRequired}
        maxLength={100}
      />
      {role === "inPersonSigner" ? (
        <HostFields recipient={recipient} at={at} isRequired={isRequired} onChange={onChange} />
      ) : (
        <TextField
          name={`${at}.email`}
          type="email"
          label={texts.email}
          value={email ?? ""}
          onChange={(value) => onChange({ ...recipient, email: value })}
          isRequired={isRequired}
          maxLength={100}
        />
      )}
      <Select
        label={texts.task}
        options={recipientRoles.map((id) => ({ id, label: texts.roles[id], hint: texts.roleHints[id] }))}
        value={role}
        isDisabled={isAsked}
        onChange={(key) => onChange({ ...recipient, role: recipientRoles.find((id) => id === key) ?? role })}
      />
      <TextField
        name={`${at}.routingOrder`}
        type="number"
        label={texts.order}
        value={routingOrder > 0 ? String(routingOrder) : ""}
        onChange={(value) => onChange({ ...recipient, routingOrder: orderOf(value) })}
        isRequired
        validate={(value) => (Number(value) >= 1 ? null : texts.orderWrong)}
      />
      <Select
        label={texts.language}
        options={[{ id: ofReader, label: texts.languageOfReader }, ...languages]}
        value={locale ?? ofReader}
        onChange={(key) => onChange({ ...recipient, locale: key === ofReader ? null : String(key) })}
      />
      <VerificationFields recipient={recipient} at={at} onChange={onChange} />
      {onRemove && !roleName && (
        <Button
          kind="quiet"
          icon="close"
          aria-label={texts.removeRecipient(nameOf({ ...recipient, name: name || title }))}
          onPress={onRemove}
        />
      )}
    </fieldset>
  );
}

/** The option of no language, which no tag is called. */
const ofReader = "reader";

/** Zero while nothing sensible stands there. */
function orderOf(text: string): number {
  const number = Math.floor(Number(text));
  return number >= 1 && number <= 10_000 ? number : 0;
}

function HostFields({
  recipient,
  at,
  isRequired,
  onChange,
}: Pick<RecipientRowProps, "recipient" | "at" | "onChange"> & { readonly isRequired: boolean }) {
  const texts = useTexts("sending");
  return (
    <>
      <TextField
        name={`${at}.hostName`}
        label={texts.hostName}
        value={recipient.hostName ?? ""}
        onChange={(value) => onChange({ ...recipient, hostName: value })}
        isRequired={isRequired}
        maxLength={100}
      />
      <TextField
        name={`${at}.hostEmail`}
        type="email"
        label={texts.hostEmail}
        value={recipient.hostEmail ?? ""}
        onChange={(value) => onChange({ ...recipient, hostEmail: value })}
        isRequired={isRequired}
        maxLength={100}
      />
    </>
  );
}
