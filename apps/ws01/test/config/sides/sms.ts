import { pairs, type Sides } from './sides.ts';

const SMPP = {
  kind: 'smpp',
  port: 2775,
  tls: false,
  verify: true,
  systemId: 'u',
  password: 'p',
  systemType: '',
  source: '',
};

/** How text messages go out. */
export const SMS = {
  SMS_COUNTRIES: {
    property: 'smsCountries',
    takes: pairs({ us: new Set(['US']), 'US, CN': new Set(['US', 'CN']) }),
    refuses: ['USA', 'US,,CN', '+1', 'all'],
  },
  SMS_URL: {
    property: 'smsGateway',
    with: { SMS_SECRET: 'x'.repeat(32) },
    takes: [
      [
        'twilio://AC1:secret@+15005550006',
        {
          kind: 'twilio',
          account: 'AC1',
          user: 'AC1',
          password: 'secret',
          from: '+15005550006',
          api: 'https://api.twilio.com',
        },
      ],
      [
        `twilio://SK1:s%2F@MG${'0'.repeat(32)}?account=AC1&api=http://127.0.0.1:9/`,
        {
          kind: 'twilio',
          account: 'AC1',
          user: 'SK1',
          password: 's/',
          from: `MG${'0'.repeat(32)}`,
          api: 'http://127.0.0.1:9',
        },
      ],
      [
        'https://hooks.example.com/sms?x=1',
        { kind: 'webhook', url: 'https://hooks.example.com/sms?x=1' },
      ],
      ['smpp://u:p@carrier.example', { ...SMPP, host: 'carrier.example' }],
      [
        'smpps://u:p@[::1]:3551?source=+15005550006&system_type=web&verify=off',
        {
          ...SMPP,
          host: '::1',
          port: 3551,
          tls: true,
          verify: false,
          source: '+15005550006',
          systemType: 'web',
        },
      ],
      ['smpp://u:p@h?source=WS01', { ...SMPP, host: 'h', source: 'WS01' }],
    ],
    refuses: [
      '+15005550006',
      'tel:123',
      'smpp://',
      'smpp://u:p@h?source=a-name-that-is-too-long',
      'smpp://u:p@h?verify=no',
      'smpp://u:p@h?x=1',
      `smpp://${'u'.repeat(65)}:p@h`,
      'ftp://hooks.example.com',
      'https://hooks.example.com/#x',
      'twilio://sid@+15005550006',
      'twilio://SK1:hush@+15005550006',
      'twilio://sid:hush@not_a_sender_of_any_kind',
      'twilio://sid:hush@+15005550006?api=nowhere',
    ],
  },
  SMS_SECRET: {
    property: 'smsSecret',
    takes: [['秘'.repeat(32), '秘'.repeat(32)]],
    refuses: ['x'.repeat(31), 'x'.repeat(1025)],
  },
  SMS_TEST_CODES: {
    property: 'smsTestCodes',
    takes: [
      [
        '+12015550123=000001, +8613800138000=123456',
        new Map([
          ['+12015550123', '000001'],
          ['+8613800138000', '123456'],
        ]),
      ],
      [
        Array.from({ length: 20 }, (_, at) => `+120155501${at + 10}=123456`).join(','),
        new Map(Array.from({ length: 20 }, (_, at) => [`+120155501${at + 10}`, '123456'])),
      ],
    ],
    refuses: [
      '12015550123=123456',
      '+12015550123=12345',
      '+12015550123=1234567',
      '+12015550123',
      '+12015550123=123456,+12015550123=654321',
      Array.from({ length: 21 }, (_, at) => `+120155501${at + 10}=123456`).join(','),
    ],
  },
  SMS_TEXT: {
    property: 'smsText',
    takes: [
      ['{service}：验证码 {code}', '{service}：验证码 {code}'],
      ['{code}\r\n\n@a.example #{code}\n', '{code}\n\n@a.example #{code}'],
      ['{code}\\n\\n@a.example #{code}', '{code}\n\n@a.example #{code}'],
      [`{code}${'x'.repeat(294)}`, `{code}${'x'.repeat(294)}`],
    ],
    refuses: [
      'no place for it',
      `{code}${'x'.repeat(295)}`,
      '{code}\tx',
      '{code}\rx',
      '{code}\u0085x',
    ],
  },
} satisfies Readonly<Record<string, Sides>>;
