import journal from '../../../content/templates/journal.md?raw';
import meetingNotes from '../../../content/templates/meeting-notes.md?raw';
import projectOverview from '../../../content/templates/project-overview.md?raw';
import weeklyPlan from '../../../content/templates/weekly-plan.md?raw';

interface PageTemplate {
  readonly name: string;
  readonly about: string;
  readonly markdown: string;
}

/** The templates for a new page (spec 1 §1.7). Their text is in content/templates. */
export const pageTemplates: readonly PageTemplate[] = [
  { name: 'Empty page', about: 'Nothing on it yet.', markdown: '' },
  { name: 'Meeting notes', about: 'Agenda, decisions and who does what.', markdown: meetingNotes },
  { name: 'Project overview', about: 'Goals, people, milestones and risks.', markdown: projectOverview },
  { name: 'Weekly plan', about: 'This week, day by day.', markdown: weeklyPlan },
  { name: 'Journal', about: 'Today, morning and evening.', markdown: journal },
];

/** Fills `{date}`, `{week}`, `{monday}` and `{sunday}` for the writer's local date. */
export function fillTemplate(markdown: string, today: Date): string {
  const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' });
  const short = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
  const dayOfWeek = today.getDay() || 7;
  const inDays = (days: number) => new Date(today.getFullYear(), today.getMonth(), today.getDate() + days);
  return markdown
    .replaceAll('{date}', full.format(today))
    .replaceAll('{week}', String(isoWeek(today)))
    .replaceAll('{monday}', short.format(inDays(1 - dayOfWeek)))
    .replaceAll('{sunday}', short.format(inDays(7 - dayOfWeek)));
}

/** In ISO 8601 a week belongs to the year of its Thursday. */
function isoWeek(day: Date): number {
  const thursday = new Date(Date.UTC(day.getFullYear(), day.getMonth(), day.getDate() + 4 - (day.getDay() || 7)));
  const firstDay = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  return Math.ceil(((thursday.getTime() - firstDay) / 86_400_000 + 1) / 7);
}
