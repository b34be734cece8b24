/** A message to one person. */
export interface Mail {
  readonly to: { readonly name: string; readonly address: string };
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Stays the same when the same mail is sent again, so that mail servers may see that it is (RFC 5322 §3.6.4). */
  readonly messageId: string;
}

/** The server will not take a mail for this person, now or later. */
export class MailRefusedError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "MailRefusedError";
  }
}

/** The server certainly has not taken the mail: nobody has got it. It may be tried again. */
export class MailNotTakenError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "MailNotTakenError";
  }
}

export interface Mailer {
  /**
   * Resolves when a server has taken the mail over. Rejects with MailRefusedError when trying again is of no use, with
   * MailNotTakenError when nobody can have got it, and otherwise when that is not known.
   */
  send(mail: Mail): Promise<void>;
  close(): Promise<void>;
}
