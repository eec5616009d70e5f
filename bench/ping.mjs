/** A process of `bench/abuse.mjs`: requests /health/live continuously, and records the longest wait for an answer. */
import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let longestMs = 0;

const live = () =>
  new Promise((done, refuse) => {
    request(`${process.argv[2]}/health/live`, { agent }, (answer) => answer.resume().once('end', done))
      .once('error', refuse)
      .end();
  });

process.on('message', () => {
  process.send(longestMs);
  longestMs = 0;
});

for (;;) {
  const askedAt = performance.now();
  await live();
  longestMs = Math.max(longestMs, performance.now() - askedAt);
}
