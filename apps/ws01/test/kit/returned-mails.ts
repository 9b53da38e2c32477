/** Reports as mail servers write them, of a mail as it was sent. */

interface Told {
  readonly action?: string;
  readonly status?: string;
  readonly diagnosis?: string;
  /** The type of the part with the mail, or with its headers alone. */
  readonly part?: 'message/rfc822' | 'text/rfc822-headers';
}

const lines = (text: string) => text.replaceAll(/\r?\n/g, '\r\n');

/** A report of delivery (RFC 3464). @param mail the mail as it was sent. */
export function deliveryReport(
  mail: string,
  { action = 'failed', status = '5.1.1', diagnosis, part = 'message/rfc822' }: Told = {},
): string {
  const original = part === 'message/rfc822' ? mail : mail.split(/\r?\n\r?\n/, 1)[0]!;
  return lines(`From: MAILER-DAEMON@mx.example.com (Mail Delivery System)
To: board@ws01.example
Subject: Undelivered Mail Returned to Sender
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
	boundary="9B095B5ADSN=_01/mx"

--9B095B5ADSN=_01/mx
Content-Type: text/plain; charset=us-ascii

I'm sorry to have to inform you that your message could not be delivered.

--9B095B5ADSN=_01/mx
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.com

Final-Recipient: rfc822; grace@example.com
Action: ${action}
Status: ${status}
${diagnosis === undefined ? '' : `Diagnostic-Code: smtp; ${diagnosis}\n`}
--9B095B5ADSN=_01/mx
Content-Type: ${part}

${original}

--9B095B5ADSN=_01/mx--
`);
}

/** A complaint of a reader (RFC 5965). */
export function complaintReport(mail: string, type = 'abuse'): string {
  return lines(`From: feedback@provider.example
To: board@ws01.example
Subject: FW: complaint
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report; boundary="part"

--part
Content-Type: text/plain

This is an email abuse report.

--part
Content-Type: message/feedback-report

Feedback-Type: ${type}
User-Agent: SomeGenerator/1.0
Version: 1

--part
Content-Type: message/rfc822

${mail}

--part--
`);
}
