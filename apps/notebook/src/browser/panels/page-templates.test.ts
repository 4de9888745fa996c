import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../../markdown/render.ts';
import { fillTemplate, pageTemplates } from './page-templates.ts';

// Spec 1 §1.7.
describe('page templates', () => {
  it('are the four of the specification, beside the empty page', () => {
    expect(pageTemplates.map(({ name }) => name)).toEqual([
      'Empty page',
      'Meeting notes',
      'Project overview',
      'Weekly plan',
      'Journal',
    ]);
    const texts = pageTemplates.slice(1).map(({ markdown }) => markdown);
    expect(texts.every(text => /^# \S/.test(text))).toBe(true);
    expect(new Set(texts).size).toBe(4);
  });

  it.each([
    ['Meeting notes', /^# Meeting/, ['Agenda', 'Decisions']],
    ['Project overview', /^# Project/, ['Goals', 'Milestones', 'Risks']],
    ['Weekly plan', /^# Week/, ['Monday', 'Friday']],
    ['Journal', /^# \{date\}/, ['This morning', 'This evening']],
  ] as const)('hold what %s are for', (name, title, words) => {
    const { markdown } = pageTemplates.find(template => template.name === name)!;
    expect(markdown).toMatch(title);
    for (const word of words) expect(markdown.match(/^#{2,3} .*$/gm)?.join('\n')).toContain(word);
  });

  it.each(pageTemplates)('leave no blank of $name unfilled', ({ markdown }) => {
    expect(fillTemplate(markdown, new Date(2026, 10, 20))).not.toMatch(/\{\w+\}/);
  });

  // A bare `- [ ]` is no task on GitHub, and two lines without an empty line between them become one.
  it.each(pageTemplates.slice(1))('come out of the renderer as they were meant: $name', ({ markdown }) => {
    const { html } = renderMarkdown(fillTemplate(markdown, new Date(2026, 10, 20)));
    expect(html).not.toContain('[ ]');
    expect(markdown.match(/^\*\*.*\n\*\*/m)).toBeNull();
  });

  it.each([
    [new Date(2026, 10, 22), new Date(2026, 10, 16), new Date(2026, 10, 22)],
    [new Date(2026, 10, 16), new Date(2026, 10, 16), new Date(2026, 10, 22)],
    [new Date(2026, 11, 31), new Date(2026, 11, 28), new Date(2027, 0, 3)],
  ])('know the week of %s', (day, monday, sunday) => {
    const named = (date: Date) => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }).format(date);
    expect(fillTemplate('{monday} {sunday}', day)).toBe(`${named(monday)} ${named(sunday)}`);
  });

  it.each([
    [new Date(2026, 0, 1), '1'],
    [new Date(2027, 0, 1), '53'],
    [new Date(2026, 10, 20), '47'],
    [new Date(2024, 11, 30), '1'],
  ])('count the weeks as ISO 8601 does: %s', (day, week) => {
    expect(fillTemplate('{week}', day)).toBe(week);
  });
});
