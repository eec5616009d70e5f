/** Express and undici, and nothing durable: the floor. */
import express from 'express';
import { checkEmail, formatData, getApiKey, sendComments, sendToRt } from './steps.mjs';

const app = express().use(express.json());
app.post('/api/clinicsys/:flow', async (request, response) => {
  response.json(await sendComments(await sendToRt(await formatData(await checkEmail(await getApiKey(request.body))))));
});
app.get('/health/ready', (_, response) => response.json({}));
app.listen(Number(process.env.PORT), '127.0.0.1');
