import { operation, secret, string } from '@ws01/asmx/contract';
import { phoneNumber, SAMPLE_USER, text, tokenFor } from './parameters.ts';

/** Operation 10. */
export const VerifyCodeForPhone = operation({
  summary: 'Verify a verification code; a correct code returns an empty result',
  help: {
    purpose: 'Checks a code. Each code allows five attempts.',
    answer:
      'Empty for the right code. Otherwise the reason, with status 200: CodeWrong, ' +
      'CodeExpired, CodeNotFound or TooManyAttempts.',
    example: 'CodeWrong: this is not the code that was made last; 4 attempts left',
    required: ['tokenId', 'cellphone'],
    errors: {
      MissingParameter: 'There is no cellphone.',
      InvalidParameter: 'A key or phone number cannot be read.',
      Forbidden: 'A user token names another user.',
    },
    refusals: ['CodeWrong', 'CodeExpired', 'CodeNotFound', 'TooManyAttempts'],
  },
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
  help: {
    purpose:
      'Creates a six-digit code for a user and a phone number, and sends it as a text ' +
      'message. It is valid for 3 minutes; a new code replaces it.',
    answer: 'The id of the verification; without an SMS gateway, the code itself.',
    example: '012345',
    required: ['tokenId', 'cellphone'],
    errors: {
      MissingParameter: 'There is no cellphone.',
      InvalidParameter: 'It is not a possible phone number.',
      Forbidden:
        'A user token names another user, or asks for a code where there is no SMS gateway.',
      DestinationBlocked: 'No text messages are sent to the country of the number.',
      RateLimited: 'The number’s budget is used up; Retry-After says for how long.',
      SmsUnavailable: 'No text message can be sent now; nothing was done.',
    },
  },
  input: {
    tokenId: tokenFor('phone'),
    userId: text('The user.', SAMPLE_USER),
    cellphone: phoneNumber('The phone number to verify.'),
  },
  result: string,
});
