/** Paths on a grid of 24 units with a stroke of 2, like all icons here. */
export const toolbarIcons = {
  undo: 'M8 5L4 9l4 4M4 9h10a5 5 0 0 1 0 10h-3',
  redo: 'M16 5l4 4-4 4M20 9H10a5 5 0 0 0 0 10h3',
  heading: 'M6 5v14M18 5v14M6 12h12',
  bold: 'M7 5h6a3.5 3.5 0 0 1 0 7H7zM7 12h7a3.5 3.5 0 0 1 0 7H7z',
  italic: 'M10 5h7M7 19h7M14 5l-4 14',
  strike:
    'M4 12h16M16.5 8C16 6 14.4 5 12 5 9.4 5 7.7 6.2 7.7 8.1c0 .8.3 1.4.8 1.9M7.4 16c.5 2 2.2 3 4.6 3 2.7 0 4.4-1.2 4.4-3.2 0-.6-.1-1.1-.4-1.6',
  highlight: 'M14 4l6 6-8.5 8.5H6L4 20M14 4L5.5 12.5 6 18.5M9.5 8.5l6 6M13 20h7',
  code: 'M8.5 7L3.5 12l5 5M15.5 7l5 5-5 5',
  link: 'M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1.2 1.2M14 10a4 4 0 0 0-5.7 0l-3 3A4 4 0 0 0 11 18.7l1.2-1.2',
  image: 'M4 5h16v14H4zM4 16l4.5-4.5 4 4 3-3L20 17M14 9a1 1 0 1 0 2 0 1 1 0 1 0-2 0',
  quote: 'M5 5v14M10 7h10M10 12h10M10 17h6',
  bulleted: 'M9 6h11M9 12h11M9 18h11M4 6h1M4 12h1M4 18h1',
  numbered: 'M10 6h10M10 12h10M10 18h10M4 4.5L5.5 4v5M4 15.6a1.3 1.3 0 0 1 2.6 0c0 1.2-2.6 2-2.6 4h2.8',
  task: 'M4 4h6v6H4zM5.5 7l1.3 1.3L9 6M14 7h6M4 14h6v6H4zM14 17h6',
  codeBlock: 'M4 5h16v14H4zM10 9.5L7.5 12l2.5 2.5M14 9.5l2.5 2.5-2.5 2.5',
  table: 'M4 5h16v14H4zM4 9.5h16M4 14.2h16M10 5v14',
  alert: 'M12 4l9 16H3zM12 10v4.5M12 17v.3',
  details: 'M5 5l5 3.5L5 12zM14 8.5h6M5 16h15M5 20h10',
  divider: 'M3 12h18M7 6.5h10M7 17.5h10',
  find: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 1 0 0-13M15.5 15.5L21 21',
  colors:
    'M12 3a9 9 0 1 0 0 18c1.5 0 2-1 1.6-2.2-.5-1.4.3-2.8 1.9-2.8H18a3 3 0 0 0 3-3c0-5.5-4-10-9-10M7.5 12v.3M9.5 8v.3M14.5 8v.3',
  keys: 'M3 6h18v12H3zM6.5 10h1M10 10h1M13.5 10h1M17 10h.8M8 14.5h8',
} as const;

export type ToolbarIcon = keyof typeof toolbarIcons;
