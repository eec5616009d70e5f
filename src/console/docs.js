/** The reference with a script: copy buttons, and one language for all samples. */
import { addCopyButtons, keepLanguage } from './docs-samples.js';

addCopyButtons(document.body);
keepLanguage();
