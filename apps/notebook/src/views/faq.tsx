import type { VNode } from 'preact';
import type { Question } from './props.ts';

/** Folded questions that need no script, and the same data for search engines (schema.org FAQPage). */
export function Faq({ questions }: { questions: readonly Question[] }): VNode {
  return (
    <section class="faq" aria-labelledby="faq-title">
      <h2 id="faq-title">Questions</h2>
      {questions.map(({ question, answer }) => (
        <details key={question}>
          <summary>{question}</summary>
          <p>{answer}</p>
        </details>
      ))}
      {/* A data block, not a script: nothing in it ever runs, so the page's policy does not apply to it. */}
      <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: structuredData(questions) }} />
    </section>
  );
}

function structuredData(questions: readonly Question[]): string {
  const data = {
    '@context': 'https://schema.org',
    '@type': 'FAQPage',
    mainEntity: questions.map(({ question, answer }) => ({
      '@type': 'Question',
      name: question,
      acceptedAnswer: { '@type': 'Answer', text: answer },
    })),
  };
  // So that no answer can end the block.
  return JSON.stringify(data).replaceAll('<', '\\u003c');
}
