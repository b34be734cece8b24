interface Counts {
  readonly people: number;
  readonly accepted: number;
  readonly asked: number;
  readonly declined: number;
  readonly withdrawn: number;
}

const people = (count: number): string => (count === 1 ? "1 person" : `${count.toLocaleString("en")} people`);

/** Asking people for an acceptance by a date. */
export const campaigns = {
  title: "Campaigns",
  intro: "Ask people for their acceptance of a text by a date, and see who has not accepted yet.",
  newCampaign: "New campaign",
  noneTitle: "No campaign yet",
  noneText:
    "When your terms have changed, draft a campaign and add the people who must accept them. Assent counts who has accepted and reminds you of the others by webhook. Your own mailing asks them.",
  campaign: "Campaign",
  back: "All campaigns",
  name: "Name",
  status: "Status",
  statuses: { DRAFT: "Draft", RUNNING: "Running", ENDED: "Ended", CANCELLED: "Cancelled" },
  due: "Accept by",
  accepted: "Accepted",
  acceptedOf: (accepted: number, all: number) => `${accepted.toLocaleString("en")} of ${all.toLocaleString("en")}`,

  newTitle: "New campaign",
  newText: "You draft the campaign, add the people, and start it. Nobody is asked before.",
  changeTitle: "Change campaign",
  draft: "Create draft",
  save: "Save",
  change: "Change",
  template: "Text",
  templateHint: "Everybody must accept what is live when the campaign starts, or a later revision.",
  inZone: (zone: string) => `Time zone: ${zone.replaceAll("_", " ")}`,
  reminderDays: "Remind me so many days before",
  reminderDaysHint:
    "Numbers from 0 to 365, separated by commas. Each reminder is a webhook event, click.campaign.reminder: Assent sends no mail to the people.",
  reminderTime: "Time of the reminders",
  badTime: "This is not a time.",
  badDays: "Enter at most 20 numbers from 0 to 365, separated by commas.",
  noTemplateTitle: "No text yet",
  noTemplateText: "Create and publish a click template first.",

  progress: "Progress",
  progressOf: ({ people: all, accepted, asked, declined, withdrawn }: Counts) =>
    `${accepted.toLocaleString("en")} of ${people(all)} accepted · ${asked.toLocaleString("en")} not yet · ${declined.toLocaleString("en")} declined · ${withdrawn.toLocaleString("en")} withdrawn`,
  unchecked: (count: number) => `${people(count)} not looked at yet.`,
  asksFor: "Asks for",
  live: "What is live at the start, or later",
  fromRevision: (revision: number) => `Revision ${revision} or a later one`,
  started: "Started",
  nextReminder: "Next reminder",
  remindersSent: "Reminders so far",
  peopleUntil: "People are deleted",
  whenOver: "90 days after the end",

  start: "Start",
  addPeople: "Add people",
  addPeopleText:
    "A file with one reference in each line, the first column of a CSV file, or lines of JSON with a userRef. Who is in the campaign already is not added again.",
  file: "File",
  references: "References",
  referencesHint: "The names by which your system calls the people, one in each line.",
  nobodyInIt: "Choose a file, or enter at least one reference.",
  tooLong: (start: string) => `A reference has at most 255 characters; this one has more: ${start}…`,
  sentOf: (done: number, all: number) => `${done.toLocaleString("en")} of ${people(all)} sent`,
  cancel: "Cancel campaign",
  cancelTitle: "Cancel this campaign?",
  cancelText: "Nobody is counted and you are reminded of nobody any more. A cancelled campaign cannot go on again.",
  delete: "Delete draft",
  deleteTitle: "Delete this draft?",
  deleteText: "The draft and its list of people are deleted.",
  exportOutstanding: "Export who is outstanding",

  people: "People",
  person: "Person",
  findHint: "The reference of one person, in full.",
  find: "Find",
  state: "State",
  everybody: "Everybody",
  outstanding: "Outstanding: asked and not accepted",
  states: {
    LISTED: "Listed",
    ASKED: "Asked",
    OVERDUE: "Overdue",
    ACCEPTED: "Accepted",
    DECLINED: "Declined",
    WITHDRAWN: "Withdrawn",
  },
  decidedAt: "Decided",
  nobodyTitle: "Nobody here",
  nobodyText: "Nobody in this campaign matches.",
};
