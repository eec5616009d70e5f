/** Renders the page that a browser gets if a sign-in fails. */
import type { Response } from 'express';
import { escapeHtml } from '../../domain/html';
import { pageHeaders } from '../pages';
import { faults, type Fault } from './faults';

interface Named {
  readonly issuer: string;
  /** The person whom the issuer knows. */
  readonly name?: string;
  /** The fields of the log line have it, too. */
  readonly logId: string;
}

function htmlOf(fault: Fault, { issuer, name, logId }: Named): string {
  const { title, what, next } = faults[fault];
  const facts = [`Issuer: ${issuer}`, ...(name ? [`Signed in there as: ${name}`] : []), `Log id: ${logId}`];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Leadgate</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/console/console.css">
</head>
<body>
<header class="top"><a class="brand" href="/console">Leadgate</a></header>
<main>
<div class="panel narrow">
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(what)}</p>
<p>${escapeHtml(next)}</p>
<p class="soft">${facts.map(escapeHtml).join('<br>')}</p>
<div class="actions"><a class="button primary" href="/sign-in">Sign in again</a><a class="button" href="/sign-in?as=other">Sign in as somebody else</a></div>
</div>
</main>
</body>
</html>
`;
}

export function answerFault(response: Response, fault: Fault, named: Omit<Named, 'logId'>): void {
  response
    .status(faults[fault].status)
    .set(pageHeaders)
    .type('html')
    .send(htmlOf(fault, { ...named, logId: response.get('X-Log-Id') ?? '' }));
}
