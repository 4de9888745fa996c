import type { VNode } from 'preact';

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** A point in time as a date. The server cannot know the reader's time zone, so it shows the day in UTC and adds the exact time. */
export function Moment({ at }: { at: number }): VNode {
  const moment = new Date(at);
  return (
    <time datetime={moment.toISOString()} title={`${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC`}>
      {day.format(moment)}
    </time>
  );
}
