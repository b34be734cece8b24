import { ConfigError, type Setting, type SettingValues, stringSetting, urlSetting } from "#platform/config.ts";

/** The server that mails go through. */
export interface MailServer {
  readonly url: string;
  /** The sender of all mails: `Name <address>` or an address. */
  readonly from: string;
  /** Where people open links, without a slash at the end. */
  readonly publicUrl: string;
}

const smtpSetting: Setting<string> = {
  ...urlSetting(
    "The mail server: smtp://user:password@host:587, or smtps:// for TLS from the first byte on. Empty sends no mails; embedded signing goes on as ever.",
    "",
    { secret: true },
  ),
  parse: (text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || !/^smtps?:$/.test(url.protocol) || url.hostname === "") {
      throw new Error("must be an smtp or smtps URL");
    }
    return text;
  },
};

const fromSetting: Setting<string> = {
  ...stringSetting("The sender of all mails, as Assent <sign@example.com>. Required with SMTP_URL.", ""),
  parse: (text) => {
    if (!text.includes("@") || /\p{Cc}/u.test(text)) throw new Error("must be an address, or a name and an <address>");
    return text;
  },
};

const publicUrlSetting: Setting<string> = {
  ...urlSetting(
    "Where people open the links in mails: https://sign.example.com, the same as the gateway's. Required with SMTP_URL.",
    "",
  ),
  parse: (text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) throw new Error("must be an http or https URL");
    return text.replace(/\/+$/, "");
  },
};

export const mailSettings = { SMTP_URL: smtpSetting, MAIL_FROM: fromSetting, PUBLIC_URL: publicUrlSetting };

/** Undefined when no mails are sent. Throws a ConfigError when only a part is set. */
export function mailServerOf(values: SettingValues<typeof mailSettings>): MailServer | undefined {
  const { SMTP_URL: url, MAIL_FROM: from, PUBLIC_URL: publicUrl } = values;
  if (url === "") return undefined;
  const missing = [...(from === "" ? ["MAIL_FROM"] : []), ...(publicUrl === "" ? ["PUBLIC_URL"] : [])];
  if (missing.length > 0) throw new ConfigError(missing.map((name) => `${name} is required when SMTP_URL is set`));
  return { url, from, publicUrl };
}
