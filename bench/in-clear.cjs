/** Loaded before the service by bench/encryption.mjs: the service as it would be if what the engine stores were not encrypted. */
const { join } = require('node:path');

const codec = require(join(__dirname, '..', 'dist', 'temporal', 'codec.js'));
const asItIs = (payloads) => Promise.resolve(payloads);
codec.encryptionCodec = () => ({ encode: asItIs, decode: asItIs });
