/** Implements the five steps of the flow as plain calls to the simulators, without the service. */
import { Agent, request } from 'undici';

const dispatcher = new Agent({ keepAliveTimeout: 4_000 });
const upstream = process.env.UPSTREAM_URL;

async function call(path, { method = 'GET', headers, body }) {
  const answer = await request(upstream + path, { method, headers, body, dispatcher });
  const read = await answer.body.json();
  if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode}`);
  return read;
}
const json = { 'content-type': 'application/json' };
const bearer = ({ key }) => ({ authorization: `Bearer ${key}` });
const isQuestion = (name) => /^q\d+$/.test(name);

export const steps = {
  async getApiKey(record) {
    const body = JSON.stringify({ account: 'ERG', instanceName: record.instanceName });
    return { ...record, ...(await call('/key-service', { method: 'POST', headers: json, body })) };
  },

  async checkEmail(record) {
    const query = new URLSearchParams({ instanceName: record.instanceName, email: record.email });
    const { data, error, meta } = await call(`/clinicsys/api/v2/subjects?${query}`, { headers: bearer(record) });
    return { ...record, data, error, meta, emailExists: data.length > 0 };
  },

  async formatData(record) {
    const answers = Object.entries(record).filter(([name]) => isQuestion(name));
    return { ...record, ...Object.fromEntries(answers.map(([name, answer]) => [name, answer === 'Yes' ? 1 : 0])) };
  },

  async sendToRt(record) {
    const { StudyID, ReferrerID, firstName, lastName, email, phone, dob, sex } = record;
    const answers = Object.keys(record).filter(isQuestion);
    const payload = { StudyID, ReferrerID, FirstName: firstName, LastName: lastName, Email: email, Phone: phone, DOB: dob, Sex: sex };
    for (const name of answers) payload[`questions[${name.slice(1)}]`] = record[name];
    const rtResponse = await call('/clinicsys/api/v1/apply', {
      method: 'POST',
      headers: { ...bearer(record), 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(payload).toString(),
    });
    return { ...record, rtRequestPayload: payload, rtResponse };
  },

  async sendComments(record) {
    const { condition, protocol, rtResponse, instanceName } = record;
    const day = new Date().toLocaleDateString('en-US', { month: '2-digit', day: '2-digit', year: 'numeric' });
    const rtV2Response = await call(
      `/clinicsys/api/v2/subjects/${rtResponse.PatientID}/comments?${new URLSearchParams({ instanceName })}`,
      {
        method: 'POST',
        headers: { ...bearer(record), ...json },
        body: JSON.stringify({ comment: `(${day} - ${condition} - ${protocol})` }),
      },
    );
    return { ...record, rtV2Response };
  },
};
