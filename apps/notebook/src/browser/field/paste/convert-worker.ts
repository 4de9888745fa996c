import { htmlToMarkdown } from './html-to-markdown.ts';

addEventListener('message', ({ data }: MessageEvent<string>) => postMessage(htmlToMarkdown(data)));
