import type { Config } from '../config/config.ts';
import { refusedMail } from '../config/mail-forms.ts';
import { smsText } from '../config/sms-forms.ts';
import { refusalTexts } from '../domain/moderation/refusal-mail.ts';
import { smsTextWith } from '../domain/sms/delivery.ts';
import { smsTextOf } from './message-workers.ts';

/**
 * What stands for the values that a text is filled in with: the usual texts speak the language of
 * the reason.
 */
const REFUSALS = [
  { title: 'Flat to let', name: 'Grace', reason: 'It has no address.' },
  { title: '公寓出租', name: '小明', reason: '没有地址。' },
];

/**
 * Returns texts that the service writes by a setting, filled in with a sample; none for other
 * settings.
 * @param value of the setting, which its form takes; `null`: the default.
 */
export function samplesOf(
  { baseUrl, serviceName }: Pick<Config, 'baseUrl' | 'serviceName'>,
  variable: string,
  value: string | null,
): readonly string[] {
  switch (variable) {
    case 'SMS_TEXT': {
      const own = value === null ? undefined : smsText.read(value);
      return [
        smsTextWith({ template: smsTextOf({ smsText: own, baseUrl }), serviceName }, '123456'),
      ];
    }
    case 'MAIL_REFUSED': {
      const own = value === null ? undefined : refusedMail.read(value);
      const told = own === undefined ? REFUSALS : REFUSALS.slice(0, 1);
      return told.map((one) => {
        const { subject, body } = refusalTexts(own, one);
        return `${subject}\n\n${body.trim()}`;
      });
    }
    default:
      return [];
  }
}
