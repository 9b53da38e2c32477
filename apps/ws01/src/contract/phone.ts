import { operation, secret, string } from '@ws01/asmx/contract';
import { HELP } from './help.ts';
import { phoneNumber, SAMPLE_USER, text, tokenFor } from './parameters.ts';

/** Operation 10. */
export const VerifyCodeForPhone = operation({
  summary: 'Verify a verification code; a correct code returns an empty result',
  help: HELP.VerifyCodeForPhone,
  input: {
    tokenId: tokenFor('phone'),
    userId: text('The user.', SAMPLE_USER),
    VerifyCode: secret(text('The code, six digits.', '012345')),
    cellphone: phoneNumber('The phone number the code was made for.'),
  },
  result: string,
});

/** Operation 20. */
export const CreateVerifyCode = operation({
  summary: 'Generate a random verification code',
  help: HELP.CreateVerifyCode,
  input: {
    tokenId: tokenFor('phone'),
    userId: text('The user.', SAMPLE_USER),
    cellphone: phoneNumber('The phone number to verify.'),
  },
  result: string,
});
