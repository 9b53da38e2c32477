import { operation, string } from '@ws01/asmx/contract';
import { LENGTHS, line, phoneNumber, SAMPLE_USER, text, tokenFor } from './parameters.ts';

/** Operation 3. */
export const updateUserInfo = operation({
  summary: 'Modify user information',
  help: {
    purpose:
      'Changes the name and address of a user: empty fields are cleared, absent fields are kept.',
    answer: 'The id of the user.',
    example: 'u-1001',
    required: ['tokenId', 'userId'],
    errors: {
      MissingParameter: 'There is no userId.',
      InvalidParameter: 'A text is too long or of several lines.',
      Forbidden: 'A user token names another user.',
      NotFound: 'There is no such user.',
    },
  },
  input: {
    tokenId: tokenFor('users'),
    userId: text('The user.', SAMPLE_USER),
    firstName: line('Absent keeps, empty clears.', 'Ada', LENGTHS.name),
    lastName: line('Absent keeps, empty clears.', 'Lovelace', LENGTHS.name),
    zipCode: line('Absent keeps, empty clears.', '10001', LENGTHS.zip),
    state: line('Absent keeps, empty clears.', 'NY', LENGTHS.place),
    city: line('Absent keeps, empty clears.', 'New York', LENGTHS.place),
    address: line('Absent keeps, empty clears.', '1 Main Street', LENGTHS.address),
    address2: line('Absent keeps, empty clears.', '', LENGTHS.address),
  },
  result: string,
});

/** Operation 14. */
export const updateUserCellphone = operation({
  summary: "Modify a user's cell phone number",
  help: {
    purpose:
      'Changes the phone number of a user; an empty one removes it. A new number counts as ' +
      'not verified.',
    answer: 'The id of the user.',
    example: 'u-1001',
    required: ['tokenId', 'userId', 'cellPhone'],
    errors: {
      MissingParameter: 'There is no userId, or cellPhone is absent.',
      InvalidParameter: 'It is not a possible phone number.',
      Forbidden: 'A user token names another user.',
      NotFound: 'There is no such user.',
    },
  },
  input: {
    tokenId: tokenFor('users'),
    userId: text('The user.', SAMPLE_USER),
    cellPhone: phoneNumber('The new number; empty removes it.'),
  },
  result: string,
});
