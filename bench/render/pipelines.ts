import MarkdownIt from 'markdown-it';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import rehypeHighlight from 'rehype-highlight';
import rehypeRaw from 'rehype-raw';
import rehypeSanitize from 'rehype-sanitize';
import rehypeStringify from 'rehype-stringify';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import remarkRehype from 'remark-rehype';
import { unified } from 'unified';
import { toUnsafeHtml } from '../../apps/notebook/src/markdown/engine.ts';
import { renderMarkdown } from '../../apps/notebook/src/markdown/render.ts';

/** From Markdown to safe HTML with highlighting: ours, and the pipeline that most projects in this field use. */
const processor = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(remarkRehype, { allowDangerousHtml: true })
  .use(rehypeRaw)
  .use(rehypeSanitize)
  .use(rehypeHighlight)
  .use(rehypeStringify);

export const pipelines = {
  ours: (markdown: string) => renderMarkdown(markdown).html,
  unified: (markdown: string) => String(processor.processSync(markdown)),
};

const markdownIt = new MarkdownIt({ html: true, linkify: true });

/** Only the engines, before the HTML is made safe. */
export const engines = {
  'marked, as we use it': toUnsafeHtml,
  'markdown-it': (markdown: string) => markdownIt.render(markdown),
  micromark: (markdown: string) =>
    micromark(markdown, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] }),
};
