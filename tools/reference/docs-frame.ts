/** Renders the frame of the reference pages. They use the styles and scripts of the console, and load nothing from another host. */
import { name, text } from './docs-html';
import { methodTag, type Route } from './docs-article';
import type { Document } from './openapi-types';

export interface DocsGroup {
  /** The page's address below `/docs`. */
  readonly slug: string;
  readonly name: string;
  readonly routes: readonly Route[];
}

const modules = [
  'acts',
  'api',
  'copy',
  'dom',
  'docs-answer',
  'docs-open',
  'docs-samples',
  'docs-search',
  'docs-try',
  'sign-in',
  'sign-out',
];

const shell = (title: string, body: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${text(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/console/console.css">
<link rel="stylesheet" href="/console/docs.css">
${modules.map((module) => `<link rel="modulepreload" href="/console/${module}.js">`).join('\n')}
<script type="module" src="/console/docs.js"></script>
</head>
${body}
</html>
`;

const head = (more: string) => `<header class="top"><a class="brand" href="/docs">Leadgate reference</a>${more}</header>`;

/** The sign-in page. After the sign-in, its script shows the requested page. */
export const signInPage = shell(
  'Sign in · Leadgate reference',
  `<body class="docs" data-locked>
${head('')}
<main id="main" tabindex="-1"><noscript><p>This gateway requires a key, and this page needs JavaScript to ask for it.</p></noscript></main>
<div id="announcer" class="unseen" aria-live="polite"></div>
</body>`,
);

export function renderPage({ info }: Document, groups: readonly DocsGroup[], slug: string, title: string, main: string): string {
  const pageLink = (address: string, label: string) =>
    `<a href="/docs${address && `/${address}`}"${address === slug ? ' aria-current="page"' : ''}>${text(label)}</a>`;
  const index = groups.map(({ slug: own, name: label, routes }) => {
    const links = own === slug ? `<ul>${routes.map(link).join('')}</ul>` : '';
    return `<li>${pageLink(own, label)}${links}</li>`;
  });
  return shell(
    title === 'Leadgate reference' ? title : `${title} · Leadgate reference`,
    `<body class="docs" id="top">
<a class="skip" href="#main">To the content</a>
${head('<div id="search"></div><a href="/console">Console</a><a class="menu" href="#index">Index</a>')}
<div class="page">
<nav id="index" aria-label="Index">
<a class="close" href="#top">Close the index</a>
<ul><li>${pageLink('', 'Start')}</li><li>${pageLink('errors', 'Errors')}</li>${index.join('')}</ul>
<p class="soft">Version ${text(info.version)}</p>
</nav>
<main id="main" tabindex="-1">
<h1>${text(title)}</h1>
${main}
</main>
</div>
<div id="announcer" class="unseen" aria-live="polite"></div>
</body>`,
  );
}

const link = ({ path, method, operation }: Route) =>
  `<li><a href="#${operation.operationId}" title="${text(operation.summary)}">${methodTag(method)}<span>${name(path.replace(/^\/api\//, ''))}</span></a></li>`;
