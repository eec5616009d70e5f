/** The end of a sign-in in a window of its own: tells the page that waits, and closes the window. */
import { tellTabs } from './sign-out.js';

tellTabs('signed-in');
window.close();
