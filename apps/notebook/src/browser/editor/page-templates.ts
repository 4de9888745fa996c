import journal from '../../../content/templates/journal.md?raw';
import meetingNotes from '../../../content/templates/meeting-notes.md?raw';
import projectOverview from '../../../content/templates/project-overview.md?raw';
import weeklyPlan from '../../../content/templates/weekly-plan.md?raw';

/** What a new page may start with (spec 1 §1.7). The words are in content/templates. */
export const pageTemplates: readonly { readonly name: string; readonly markdown: string }[] = [
  { name: 'Empty page', markdown: '' },
  { name: 'Meeting notes', markdown: meetingNotes },
  { name: 'Project overview', markdown: projectOverview },
  { name: 'Weekly plan', markdown: weeklyPlan },
  { name: 'Journal', markdown: journal },
];

/** `{date}` and `{week}` are the writer's own today. */
export function fillTemplate(markdown: string, today: Date): string {
  const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' }).format(today);
  return markdown.replaceAll('{date}', date).replaceAll('{week}', String(isoWeek(today)));
}

/** ISO 8601: the week belongs to the year of its Thursday. */
function isoWeek(day: Date): number {
  const thursday = new Date(Date.UTC(day.getFullYear(), day.getMonth(), day.getDate() + 4 - (day.getDay() || 7)));
  const firstDay = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  return Math.ceil(((thursday.getTime() - firstDay) / 86_400_000 + 1) / 7);
}
