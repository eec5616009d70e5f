/** The reference with a script: copy buttons, one language for all samples, and search. */
import { addCopyButtons, keepLanguage } from './docs-samples.js';
import { addSearch } from './docs-search.js';

addCopyButtons(document.body);
keepLanguage();
addSearch();
