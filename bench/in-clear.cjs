/** Loaded before the service by bench/encryption.mjs: makes the service store payloads without encryption. */
const { join } = require('node:path');

const codec = require(join(__dirname, '..', 'dist', 'src', 'temporal', 'codec.js'));
const asItIs = (payloads) => Promise.resolve(payloads);
codec.encryptionCodec = () => ({ encode: asItIs, decode: asItIs });
