/** Runs the five steps with Express and undici, without durability: the lower bound of the comparison. */
import express from 'express';
import { steps } from './steps.mjs';

const { checkEmail, formatData, getApiKey, sendComments, sendToRt } = steps;
const chain = async (lead) => sendComments(await sendToRt(await formatData(await checkEmail(await getApiKey(lead)))));

const app = express().use(express.json());
app.post('/api/clinicsys/:flow', ({ body }, response, next) => {
  chain(body).then((record) => response.json(record), next);
});
app.get('/health/ready', (_, response) => response.json({}));
app.listen(Number(process.env.PORT), '127.0.0.1');
