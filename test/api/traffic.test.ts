import { createTraffic } from '../../src/api/monitoring/traffic';

const answered = { method: 'POST', route: '/api/clinicsys/no-prescreen' };
type Minutes = readonly { readonly at: string; readonly done: number; readonly p50Ms?: number; readonly p95Ms?: number }[];

describe('the last hour in memory', () => {
  it('holds a minute a row, with the median and the slow ones', () => {
    const traffic = createTraffic(() => 0);
    for (let tookMs = 1; tookMs <= 100; tookMs++) traffic.observe({ ...answered, status: 200, tookMs });
    expect(traffic.read()).toMatchObject({ minutes: [{ done: 100, accepted: 0, refused: 0, failed: 0, p50Ms: 50, p95Ms: 95 }] });
  });

  it('tells done, accepted, refused and failed apart', () => {
    const traffic = createTraffic(() => 0);
    for (const status of [200, 202, 400, 422, 502]) traffic.observe({ ...answered, status, tookMs: 1 });
    expect(traffic.read()).toMatchObject({ minutes: [{ done: 1, accepted: 1, refused: 2, failed: 1 }] });
  });

  it('forgets what is older, and keeps little of a busy minute', () => {
    let now = 0;
    const traffic = createTraffic(() => now);
    for (let minute = 0; minute < 90; minute++) {
      now = minute * 60_000;
      for (let each = 0; each < 50; each++) traffic.observe({ ...answered, status: 200, tookMs: each });
    }
    const { minutes, since } = traffic.read() as { minutes: Minutes; since: string };
    expect([minutes.length, minutes[0]?.at, since]).toEqual([60, new Date(30 * 60_000).toISOString(), new Date(0).toISOString()]);
  });

  it('does not count who looks', () => {
    const traffic = createTraffic(() => 0);
    traffic.observe({ method: 'GET', route: '/api/leads', status: 200, tookMs: 1 });
    expect((traffic.read() as { minutes: Minutes }).minutes[0]).toMatchObject({ done: 0 });
  });
});
