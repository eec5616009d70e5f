/** The style of the reference page. Its colours meet WCAG AA in light and in dark mode. */
export const docsStyle = `
:root{color-scheme:light dark;--bg:#fff;--panel:#f5f7f9;--text:#1b2733;--soft:#52606d;--line:#d5dce3;--link:#0b5cad;--code:#eef2f6;
--get:#0b5cad;--post:#1a6b3c;--patch:#8a4b00;--bad:#a4262c}
@media (prefers-color-scheme:dark){:root{--bg:#12181f;--panel:#1a222b;--text:#e4e9ee;--soft:#a9b5c1;--line:#33404d;--link:#7db7f5;--code:#202a34;
--get:#7db7f5;--post:#74cf9a;--patch:#f0b36b;--bad:#ff9c9c}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--bg);color:var(--text);font:16px/1.55 system-ui,sans-serif;overflow-wrap:anywhere}
a{color:var(--link)}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:1rem;background:var(--bg);padding:.5rem 1rem;z-index:3}
.page{display:grid;grid-template-columns:20rem minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.25rem 1rem 2rem 1.25rem;background:var(--panel);border-right:1px solid var(--line);font-size:.85rem}
nav h2{font-size:.85rem;margin:1.1rem 0 .25rem;padding:0;border:0}
nav ul{list-style:none;margin:0;padding:0}
nav li a{display:flex;gap:.5rem;padding:.28rem .25rem;color:var(--text);text-decoration:none;border-radius:4px}
nav li a:hover{background:var(--code)}
nav .method{flex:none;width:3.1rem}
.brand{font-weight:700;font-size:1.1rem}
.bar,.close{display:none}
main{padding:2rem 2.5rem 6rem;max-width:68rem;width:100%}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 .5rem}
h2{font-size:1.35rem;margin:3rem 0 .5rem;padding-top:1.25rem;border-top:2px solid var(--line)}
h3{font-size:1.05rem;margin:1.25rem 0 .25rem;line-height:1.4}
article h3{margin:0}
h4{font-size:.9rem;margin:1.1rem 0 .35rem}
p{margin:.5rem 0}
.soft{color:var(--soft)}
article{margin:1.25rem 0;padding:1.1rem 1.25rem 1.25rem;border:1px solid var(--line);border-radius:8px}
article:target{border-color:var(--link);box-shadow:0 0 0 1px var(--link)}
article h3 a{color:inherit;text-decoration:none}
article h3 a:hover{text-decoration:underline}
.method{font:700 .78rem/1.6 ui-monospace,monospace;text-transform:uppercase}
h3 .method{font-size:.9rem;margin-right:.5rem}
.get{color:var(--get)}.post{color:var(--post)}.patch{color:var(--patch)}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,monospace;font-size:.875em}
h3 code{font-size:1em}
code{background:var(--code);padding:.1em .3em;border-radius:4px}
pre,h3 code,td code.name{background:none;padding:0}
pre{background:var(--code);border-radius:6px;padding:.8rem 1rem;margin:.4rem 0;white-space:pre-wrap;line-height:1.5}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;vertical-align:top;padding:.4rem .6rem .4rem 0;border-bottom:1px solid var(--line)}
th{color:var(--soft);font-weight:600;font-size:.82rem}
.must{color:var(--bad);font-weight:600}
details{margin-top:.8rem}
summary{cursor:pointer;font-weight:600;font-size:.9rem;padding:.25rem 0}
@media (max-width:56rem){
.page{display:block}
.bar{display:flex;justify-content:space-between;align-items:center;position:sticky;top:0;z-index:1;background:var(--panel);border-bottom:1px solid var(--line);padding:.3rem 1rem}
.bar a:last-child,.close{padding:.6rem .2rem}
html{scroll-padding-top:4rem}
nav{display:none;position:fixed;inset:0;height:auto;z-index:2;border:0;font-size:.95rem}
nav:target{display:block}
nav li a{padding:.55rem .25rem}
.close{display:inline-block}
main{padding:1.25rem 1rem 4rem}
article{padding:.9rem .9rem 1rem}
}
@media (max-width:36rem){
thead{position:absolute;left:-99rem}
table,tbody,tr{display:block}
tr{border-bottom:1px solid var(--line);padding:.45rem 0}
td{display:inline;border:0;padding:0 .7rem 0 0}
td:last-child{display:block}
td:empty{display:none}
}
@media print{nav,.bar{display:none}.page{display:block}}
`;
