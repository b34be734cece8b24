/** A text with a number in it: what `Intl.PluralRules` calls the forms of a language. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };

/** Everything the page says. `{name}` and the like are filled in. */
export interface Texts {
  readonly title: string;
  readonly from: string;
  readonly consentHeading: string;
  readonly consentMissing: string;
  readonly continue: string;
  readonly pageOf: string;
  readonly loading: string;
  readonly documentFailed: string;
  /** The form is that of the total. */
  readonly progress: Plural;
  readonly progressLabel: string;
  readonly start: string;
  readonly next: string;
  readonly requiredMark: string;
  readonly language: string;
  readonly help: string;
  readonly helpPoints: readonly string[];
  readonly whoSent: string;
  readonly whoSentAdvice: string;
  readonly reportAbuse: string;
  readonly readAsText: string;
  readonly readAsTextOf: string;
  readonly readNote: string;
  readonly readPage: string;
  readonly readEmpty: string;
  readonly hints: Readonly<Record<string, string>>;
  readonly allDone: string;
  readonly finish: string;
  readonly finishLater: string;
  readonly decline: string;
  readonly download: string;
  readonly more: string;
  readonly required: string;
  /** What is read out of a field: its name, and whether it has to be filled in. */
  readonly fieldState: string;
  readonly optional: string;
  readonly signHere: string;
  readonly initialHere: string;
  readonly signed: string;
  readonly filledWhenFinished: string;
  readonly chooseOne: string;
  readonly attach: string;
  readonly attached: string;
  readonly attachmentFailed: string;
  readonly approve: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly roles: Readonly<Record<string, string>>;
  readonly adoptHeading: string;
  readonly adoptType: string;
  readonly adoptDraw: string;
  readonly adoptUpload: string;
  readonly fullName: string;
  readonly initials: string;
  readonly style: string;
  readonly styleNumber: string;
  readonly drawHint: string;
  readonly clear: string;
  readonly uploadHint: string;
  readonly adoptLast: string;
  readonly remember: string;
  readonly lastHint: string;
  readonly uploadFailed: string;
  readonly adoptStatement: string;
  readonly adopt: string;
  readonly cancel: string;
  readonly nameMissing: string;
  readonly drawingMissing: string;
  readonly declineHeading: string;
  readonly declineWarning: string;
  readonly declineReason: string;
  readonly errorsHeading: string;
  readonly fieldMissing: string;
  readonly fieldWrong: string;
  readonly locked: string;
  readonly failed: string;
  readonly reference: string;
  readonly finishedHeading: string;
  readonly outcomeComplete: string;
  readonly outcomeSealing: string;
  readonly completeHeading: string;
  readonly outcomeWaiting: string;
  readonly outcomeWaitingFor: string;
  readonly outcomeMailed: string;
  readonly outcomeMailLater: string;
  readonly downloadUnsigned: string;
  readonly downloadSealed: string;
  readonly downloadCertificate: string;
  readonly readPages: string;
  readonly declinedHeading: string;
  readonly declinedText: string;
  readonly leftHeading: string;
  readonly leftText: string;
  readonly saved: string;
  readonly saving: string;
  readonly notSaved: string;
  readonly idleHeading: string;
  readonly idleText: string;
  readonly expiredHeading: string;
  readonly expiredText: string;
  readonly viewOnly: string;
  readonly closedText: string;
  readonly close: string;
  readonly goBack: string;
  readonly senderHeading: string;
  readonly recipients: string;
  readonly send: string;
  readonly save: string;
  /** Of checks of who somebody is. */
  readonly proof: Readonly<
    Record<
      | (
          | "heading"
          | "intro"
          | "accessLabel"
          | "accessHint"
          | "emailText"
          | "emailLabel"
          | "send"
          | "again"
          | "sentText"
        )
      | ("wait" | "missing" | "wrong" | "old" | "lockedHeading" | "lockedText"),
      string
    >
  >;
  readonly sentText: string;
}
