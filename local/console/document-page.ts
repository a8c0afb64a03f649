// A document that comes with the command, as a page. Only text and links are taken from it: everything else is escaped.
import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import { documentsFolder } from '../operating/documents-folder.ts';
import { type ConsolePage, PageNotFound } from './console-server.ts';
import { addressOf, anchorOf } from './documents.ts';
import { type Content, type Html, html, multiline } from './html.ts';
import { table } from './layout.ts';

/** The documents are at the top and in `docs`. */
const DOCUMENT = /^(?:docs\/(?:[\w-]+\/)*)?[\w-]+\.md$/;

export function createDocumentPage(): ConsolePage {
  return {
    path: '/documents/:file{.+}',
    async render({ params: { file = '' } }) {
      const tokens = lexer(await readDocument(file));
      const title = plain(tokens.find(isHeading)?.text ?? file);
      return { title, body: html`<article class="document">${blocks(tokens, file)}</article>` };
    },
  };
}

/** @throws PageNotFound if there is no such document */
async function readDocument(file: string): Promise<string> {
  const missing = new PageNotFound(`There is no document "${file}".`);
  if (!DOCUMENT.test(file)) throw missing;
  return readFile(join(documentsFolder(), file), 'utf8').catch(() => {
    throw missing;
  });
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading';
}

function blocks(tokens: readonly Token[], file: string): Content[] {
  return tokens.map((token, at) => {
    const before = tokens.slice(0, at);
    const begins = before.findLastIndex(isHeading);
    const section = before.findLast(isHeading)?.text ?? file;
    const tables = before.slice(begins + 1).filter(({ type }) => type === 'table').length;
    return block(token as MarkedToken, file, tables === 0 ? section : `${section} (${tables + 1})`);
  });
}

/** @param section its heading, with a number from the second table on */
function block(token: MarkedToken, file: string, section: string): Content {
  switch (token.type) {
    case 'heading':
      return heading(token, file);
    case 'paragraph':
      return html`<p>${inline(token.tokens, file)}</p>`;
    case 'code':
      return html`<pre tabindex="0">${multiline(token.text)}</pre>`;
    case 'table':
      return table(
        plain(section),
        token.header.map(({ text }) => plain(text)),
        token.rows.map((cells) => cells.map((cell) => html`${inline(cell.tokens, file)}`)),
      );
    case 'list': {
      const items = token.items.map(({ tokens }) => html`<li>${blocks(tokens, file)}</li>`);
      return token.ordered ? html`<ol>${items}</ol>` : html`<ul>${items}</ul>`;
    }
    case 'blockquote':
      return html`<blockquote>${blocks(token.tokens, file)}</blockquote>`;
    case 'space':
    case 'html':
      return '';
    default:
      return inline([token], file);
  }
}

/** Without the signs of code. */
function plain(text: string): string {
  return text.replaceAll('`', '');
}

function heading({ depth, text, tokens }: Tokens.Heading, file: string): Html {
  const content = inline(tokens, file);
  if (depth === 1) return html`<h1>${content}</h1>`;
  return depth === 2
    ? html`<h2 id="${anchorOf(text)}">${content}</h2>`
    : html`<h3 id="${anchorOf(text)}">${content}</h3>`;
}

function inline(tokens: readonly Token[] | undefined, file: string): Content[] {
  return (tokens ?? []).map((each) => {
    const token = each as MarkedToken;
    switch (token.type) {
      case 'codespan':
        return html`<code>${oneLine(token.text)}</code>`;
      case 'strong':
        return html`<strong>${inline(token.tokens, file)}</strong>`;
      case 'em':
        return html`<em>${inline(token.tokens, file)}</em>`;
      case 'br':
        return html`<br>`;
      case 'link':
        return link(token, file);
      // The console shows no pictures.
      case 'image':
        return '';
      case 'text':
        return token.tokens === undefined ? oneLine(token.text) : inline(token.tokens, file);
      default:
        return oneLine(token.raw);
    }
  });
}

/** A browser breaks lines where it has to. */
function oneLine(text: string): string {
  return text.replaceAll('\n', ' ');
}

/** A link to another document leads to its page; what is no document is only named. */
function link({ href, tokens }: Tokens.Link, file: string): Html {
  const content = inline(tokens, file);
  if (/^(?:https?:|#)/.test(href)) return html`<a href="${href}">${content}</a>`;
  const [path = '', anchor] = href.split('#');
  const target = posix.join(posix.dirname(file), path);
  return DOCUMENT.test(target)
    ? html`<a href="${addressOf(target, anchor)}">${content}</a>`
    : html`${content}`;
}
