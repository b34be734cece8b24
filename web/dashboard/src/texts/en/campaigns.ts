interface Counts {
  readonly people: number;
  readonly accepted: number;
  readonly asked: number;
  readonly declined: number;
  readonly withdrawn: number;
}

const people = (count: number): string => (count === 1 ? "1 user" : `${count.toLocaleString("en")} users`);

/** Asking people for an acceptance by a date. */
export const campaigns = {
  title: "Campaigns",
  intro: "Ask users to accept a text by a date, and see who hasn’t accepted yet.",
  newCampaign: "New campaign",
  noneTitle: "No campaigns yet",
  noneText:
    "When your terms change, create a campaign and add the users who must accept them. We count acceptances and remind you by webhook of who is outstanding. You send the messages.",
  campaign: "Campaign",
  back: "All campaigns",
  name: "Name",
  status: "Status",
  statuses: { DRAFT: "Draft", RUNNING: "Running", ENDED: "Ended", CANCELLED: "Canceled" },
  due: "Accept by",
  accepted: "Accepted",
  acceptedOf: (accepted: number, all: number) => `${accepted.toLocaleString("en")} of ${all.toLocaleString("en")}`,

  newTitle: "New campaign",
  newText: "Create a draft, add users, then start it. No one is asked before that.",
  changeTitle: "Edit campaign",
  draft: "Create draft",
  save: "Save",
  change: "Edit",
  template: "Click template",
  templateHint: "Everyone must accept the text that’s live when the campaign starts, or a later revision.",
  text: "Text",
  textHint: "“Any live text” counts every language. Choose a version to count that one only.",
  anyText: "Any live text",
  versionOf: (language: string, label: string) => `${language}, version ${label}`,
  inZone: (zone: string) => `Time zone: ${zone.replaceAll("_", " ")}`,
  reminderDays: "Reminders, in days before the date",
  reminderDaysHint:
    "Numbers from 0 to 365, separated by commas. Each reminder is a webhook event, click.campaign.reminder. We don’t email your users.",
  reminderTime: "Time of reminders",
  badTime: "Enter a valid time.",
  badDays: "Enter up to 20 numbers from 0 to 365, separated by commas.",
  noTemplateTitle: "No click templates yet",
  noTemplateText: "Create and publish a click template first.",

  progress: "Progress",
  progressOf: ({ people: all, accepted, asked, declined, withdrawn }: Counts) =>
    `${accepted.toLocaleString("en")} of ${people(all)} accepted · ${asked.toLocaleString("en")} outstanding · ${declined.toLocaleString("en")} declined · ${withdrawn.toLocaleString("en")} withdrawn`,
  unchecked: (count: number) => `${people(count)} not checked yet.`,
  asksFor: "Requires",
  live: "The text live at the start, or later",
  fromRevision: (revision: number, language?: string) =>
    `Revision ${revision} or later${language === undefined ? "" : `, ${language}`}`,
  started: "Started",
  nextReminder: "Next reminder",
  remindersSent: "Reminders sent",
  peopleUntil: "User list deleted",
  whenOver: "90 days after the end",

  start: "Start",
  addPeople: "Add users",
  addPeopleText:
    "A file with one user reference per line, a CSV file (first column), or JSON Lines with a userRef. Users already in the campaign aren’t added again.",
  chooseFile: "Choose file",
  noFile: "No file chosen",
  references: "User references",
  referencesHint: "One user reference per line, exactly as your system sends it.",
  nobodyInIt: "Choose a file, or enter at least one user reference.",
  tooLong: (start: string) => `A user reference can have up to 255 characters. This one is longer: ${start}…`,
  sentOf: (done: number, all: number) => `${done.toLocaleString("en")} of ${people(all)} sent`,
  cancel: "Cancel campaign",
  keep: "Keep campaign",
  cancelTitle: "Cancel this campaign?",
  cancelText: "Counting and reminders stop. A canceled campaign can’t be restarted.",
  delete: "Delete draft",
  deleteTitle: "Delete this draft?",
  deleteText: "The draft and its user list are deleted.",
  exportOutstanding: "Export outstanding users",

  remove: "Remove",
  removeTitle: (userRef: string) => `Remove ${userRef}?`,
  removeText: "They are no longer asked or counted in this campaign. What they accepted stays.",
  people: "Users",
  person: "User",
  findHint: "The full user reference.",
  find: "Find",
  state: "Status",
  everybody: "Everyone",
  outstanding: "Outstanding: asked, not accepted",
  states: {
    LISTED: "Listed",
    ASKED: "Asked",
    OVERDUE: "Overdue",
    ACCEPTED: "Accepted",
    DECLINED: "Declined",
    WITHDRAWN: "Withdrawn",
  },
  decidedAt: "Decided",
  nobodyTitle: "No users",
  nobodyText: "No user in this campaign matches.",
};
