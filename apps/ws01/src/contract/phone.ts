import { HELP } from './help.ts';
import { credential, phoneNumber, SAMPLE_USER, text } from './parameters.ts';

/** Operation 10. */
export const VerifyCodeForPhone = {
  name: 'VerifyCodeForPhone',
  documentation: 'Verify a verification code; a correct code returns an empty result',
  help: HELP.VerifyCodeForPhone,
  access: { credential: 'tokenId', scope: 'phone' },
  writes: true,
  parameters: [
    credential('tokenId', 'phone'),
    text('userId', 'The user.', SAMPLE_USER),
    { ...text('VerifyCode', 'The code, six digits.', '012345'), secret: true },
    phoneNumber('cellphone', 'The phone number the code was made for.'),
  ],
  result: 'string',
} as const;

/** Operation 20. */
export const CreateVerifyCode = {
  name: 'CreateVerifyCode',
  documentation: 'Generate a random verification code',
  help: HELP.CreateVerifyCode,
  access: { credential: 'tokenId', scope: 'phone' },
  writes: true,
  parameters: [
    credential('tokenId', 'phone'),
    text('userId', 'The user.', SAMPLE_USER),
    phoneNumber('cellphone', 'The phone number to verify.'),
  ],
  result: 'string',
} as const;
